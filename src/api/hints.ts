import { formatSignInCommand, formatWriteScopeHint, type Identity, SIGN_IN } from '../auth/session.ts';
import { SANDBOX_PROFILE } from '../config/settings.ts';
import { ApiError, type NetworkError } from '../errors.ts';
import { toText } from '../json.ts';
import { type CommandLine, placeholder } from '../parsing/shell-word.ts';
import { ARCHIVED } from './fields.ts';
import { getIdName, nounOf, type Operation } from './operation.ts';
import { findOperation } from './operations.ts';
import { listIdNames, type Values } from './plan.ts';
import { findRecordFacts } from './records.ts';

/** What to do about an answer of the service, in terms of the command line. The service's own words stay. */

export interface HintContext {
  readonly identity: Identity;
  readonly workspace: number | undefined;
  /** Variables that would lead elsewhere, were it not for the profile `sandbox`. */
  readonly unusedAddresses: readonly string[];
  readonly commandLine: CommandLine;
}

export function findHint(
  error: ApiError | NetworkError,
  operation: Operation,
  values: Values,
  facts: HintContext,
): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 401) return adviseUnauthenticated(facts);
  if (error.status === 403) {
    if (error.code === 'insufficient_scope') return formatWriteScopeHint(facts.identity);
    const where = facts.workspace === undefined ? '' : ` of workspace ${facts.workspace}`;
    return `Only Owners and Executive Managers${where} may do this. See your roles: ${facts.commandLine`ttctl workspaces list`}`;
  }
  // Whoever else answered 404 knows nothing of the record.
  if (error.status === 404 && error.code !== 'not_the_api') return adviseNotFound(operation, values, facts);
  if (error.status !== 400 && error.status !== 422) return undefined;
  return (
    adviseNotOnProject(error, operation, values, facts) ?? adviseRefused(error, operation, values, facts)
  );
}

function adviseUnauthenticated({ identity, unusedAddresses, commandLine }: HintContext): string {
  const source = `The token came from ${identity.source} (profile ${identity.profile}).`;
  if (identity.source === SIGN_IN)
    return 'Check that the token is complete, is for this address, and has not expired.';
  if (identity.kind === 'environment' && identity.profile === SANDBOX_PROFILE) {
    // The sandbox inside ttctl signs its owner in by itself: a token can only be of another one.
    const [address] = unusedAddresses;
    return address === undefined
      ? `${source} The profile sandbox needs no token. Unset TTCTL_TOKEN.`
      : `${source} The profile sandbox needs no token and does not use ${address}. Unset both, or use another profile for that address (--profile default).`;
  }
  if (identity.kind === 'sandbox') {
    const list = commandLine`ttctl sandbox fault list`;
    return `The embedded sandbox needs no sign-in: a fault may be set. See: ${list}`;
  }
  if (identity.kind === 'environment') return `${source} Set TTCTL_TOKEN to a valid token.`;
  return `${source} Sign in again: ${formatSignInCommand(identity)}`;
}

/** A request names, in its order: `task 132, member 105, project 114`. */
function adviseNotFound(
  operation: Operation,
  values: Values,
  { workspace, commandLine }: HintContext,
): string {
  const names = listIdNames(operation);
  const records = names.map(
    (name) => `${name === 'userId' ? 'member' : name.replace(/Id$/, '')} ${values[name]}`,
  );
  if (values.project_id !== undefined) records.push(`project ${toText(values.project_id)}`);
  if (records.length === 0)
    // A list is always there: what is not found is the address.
    return `The address (the version 2 root, such as https://<host>/api/v2) or the workspace may be wrong. See: ${commandLine`ttctl doctor`}`;
  const noun = nounOf(operation);
  const [id = ''] = names.map((name) => toText(values[name]));
  const what = records.length === 1 && id !== '' ? `${id} among the ${noun}` : records.join(', ');
  const where = workspace === undefined ? '' : ` in workspace ${workspace}`;
  const which = records.length > 1 ? '; one of them does not exist' : '';
  const gone = findOperation(`${noun}.archive`) ? ARCHIVED : 'gone';
  return `Looked for ${what}${where}${which}. It may be ${gone}, or belong to another workspace (--workspace).`;
}

/** Only who works on the project can be assigned to its tasks (docs/service.md, Tasks). */
function adviseNotOnProject(
  { message }: ApiError,
  { projectMembers }: Operation,
  { userId, assignees, project_id = placeholder('project') }: Values,
  { commandLine }: HintContext,
): string | undefined {
  if (!projectMembers) return undefined;
  const isAboutPeople = assignees !== undefined && /assignee|member|user/i.test(message);
  if (userId === undefined ? !isAboutPeople : /already/i.test(message)) return undefined;
  const member = userId ?? placeholder('member');
  const contract = commandLine`ttctl contracts create --project ${project_id} --member ${member}`;
  return `Only members of the project can be assigned. To add ${userId === undefined ? 'a' : 'this'} member: ${contract}`;
}

function adviseRefused(
  { message }: ApiError,
  operation: Operation,
  values: Values,
  { commandLine }: HintContext,
): string | undefined {
  const { refusal, moves } = operation;
  if (refusal) return `${refusal.why}. See ${commandLine`ttctl ${refusal.see.split(' ')}`}`;
  const noun = nounOf(operation);
  const record = moves?.from === undefined ? undefined : findRecordFacts(noun);
  if (record === undefined) return undefined;
  const rule = `Only ${moves?.from} ${record.words[1]} can be ${moves?.past}`;
  const list = commandLine`ttctl ${noun} list --id ${toText(values[getIdName(operation)])}`;
  // The service may have said so itself.
  return `${message.includes(rule) ? '' : `${rule}. `}See its status: ${list}`;
}
