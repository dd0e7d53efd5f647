import { formatSignInCommand, formatWriteScopeHint, type Identity, SIGN_IN } from '../auth/session.ts';
import type { ApiError } from '../errors.ts';
import { toText } from '../json.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { ARCHIVED } from './fields.ts';
import type { Operation } from './operation.ts';
import { findOperation } from './operations.ts';
import type { Values } from './plan.ts';
import { findRecordFacts } from './records.ts';

interface HintContext {
  readonly identity: Identity;
  readonly workspace: number | undefined;
  readonly commandLine: CommandLine;
}

/** What to do about an answer of the service, in terms of the command line. The service's own words stay. */
export function findHint(
  error: ApiError,
  operation: Operation,
  values: Values,
  { identity, workspace, commandLine }: HintContext,
): string | undefined {
  const noun = operation.noun;
  if (error.status === 401) return adviseUnauthenticated(identity, commandLine);
  if (error.code === 'insufficient_scope') return formatWriteScopeHint(identity);
  if (error.status === 403) {
    const where = workspace === undefined ? '' : ` of workspace ${workspace}`;
    return `Only Owners and Executive Managers${where} may do this. See your roles: ${commandLine`ttctl workspaces list`}`;
  }
  // Whoever else answered 404 knows nothing of the record.
  if (error.status === 404 && error.code !== 'not_the_api')
    return adviseNotFound(operation, values, workspace, commandLine);
  if (error.status !== 400 && error.status !== 422) return undefined;
  const { refusal, moves } = operation;
  if (refusal) {
    const parts = `ttctl ${refusal.see}`.split(/\{(\w+)\}/);
    const strings = parts.filter((_, i) => i % 2 === 0);
    const given = parts.filter((_, i) => i % 2 === 1).map((name) => toText(values[name]));
    return `${refusal.why}: ${commandLine(Object.assign(strings, { raw: strings }), ...given)}`;
  }
  const record = moves?.from === undefined ? undefined : findRecordFacts(noun);
  if (record === undefined) return undefined;
  const rule = `Only ${moves?.from} ${record.words[1]} can be ${moves?.past}`;
  const list = commandLine`ttctl ${noun} list --id ${toText(values[operation.idName])}`;
  // The service may have said so itself.
  return `${error.message.includes(rule) ? '' : `${rule}. `}See its status: ${list}`;
}

function adviseNotFound(
  operation: Operation,
  values: Values,
  workspace: number | undefined,
  commandLine: CommandLine,
): string {
  // A request names, in its order: `task 132, member 105, project 114`.
  const records = [...operation.idNames, 'project_id'].flatMap((name) => {
    const record = name === 'userId' ? 'member' : name.replace(/(Id|_id)$/, '');
    return values[name] === undefined ? [] : [`${record} ${toText(values[name])}`];
  });
  if (records.length === 0)
    // A list is always there: what is not found is the address.
    return `The address (the version 2 root, such as https://<host>/api/v2) or the workspace may be wrong. See: ${commandLine`ttctl doctor`}`;
  const where = workspace === undefined ? '' : ` in workspace ${workspace}`;
  const one = toText(values[operation.idName] ?? '');
  const what = records.length === 1 && one !== '' ? `${one} among the ${operation.noun}` : records.join(', ');
  const gone = findOperation(`${operation.noun}.archive`) ? ARCHIVED : 'gone';
  return `Looked for ${what}${where}. It may be ${gone}, or belong to another workspace (--workspace).`;
}

function adviseUnauthenticated(identity: Identity, commandLine: CommandLine): string {
  const { source, profile, kind } = identity;
  if (source === SIGN_IN)
    return 'Check that the token is complete, is for this address, and has not expired.';
  if (kind === 'sandbox')
    return `The embedded sandbox needs no sign-in: a fault may be set. See: ${commandLine`ttctl sandbox fault list`}`;
  const way =
    kind === 'environment'
      ? 'Set TTCTL_TOKEN to a valid token.'
      : `Sign in again: ${formatSignInCommand(identity)}`;
  return `The token came from ${source} (profile ${profile}). ${way}`;
}
