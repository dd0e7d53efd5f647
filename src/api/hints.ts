import { formatSignInCommand, formatWriteScopeHint, type Identity, SIGN_IN } from '../auth/session.ts';
import { SANDBOX_PROFILE } from '../config/settings.ts';
import { ApiError, type FailureFacts, type NetworkError } from '../errors.ts';
import { toText } from '../json.ts';
import { type CommandLine, placeholder } from '../parsing/shell-word.ts';
import { ARCHIVED } from './fields.ts';
import { nounOf, type Operation } from './operation.ts';
import { findOperation } from './operations.ts';
import type { Values } from './plan.ts';
import { findRecordFacts } from './records.ts';

/** What to do about an answer of the service, in terms of the command line. The service's own words stay. */

export interface HintContext {
  readonly identity: Identity;
  readonly workspace: number | undefined;
  /** Variables that would lead elsewhere, were it not for the profile `sandbox`. */
  readonly unusedAddresses: readonly string[];
  readonly commandLine: CommandLine;
}

type Advice = Partial<FailureFacts>;

/** A list is always there: what is not found is the address. */
const NO_LIST =
  'The address (the version 2 root, such as https://<host>/api/v2) or the workspace may be wrong. See:';

export function findHint(
  error: ApiError | NetworkError,
  operation: Operation,
  values: Values,
  facts: HintContext,
): Advice | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 401) return adviseUnauthenticated(facts);
  if (error.status === 403) return adviseForbidden(error, facts);
  // Whoever else answered 404 knows nothing of the record.
  if (error.status === 404 && error.code !== 'not_the_api') return adviseNotFound(operation, values, facts);
  if (error.status !== 400 && error.status !== 422) return undefined;
  return (
    adviseNotOnProject(error, operation, values, facts) ?? adviseRefused(error, operation, values, facts)
  );
}

function adviseUnauthenticated({ identity, unusedAddresses, commandLine }: HintContext): Advice {
  const source = `The token came from ${identity.source} (profile ${identity.profile}).`;
  if (identity.source === SIGN_IN) {
    return {
      hint: 'Check that the token is complete, is for this address, and has not expired.',
    };
  }
  if (identity.kind === 'environment' && identity.profile === SANDBOX_PROFILE)
    return { hint: `${source} ${formatForeignTokenHint(unusedAddresses)}` };
  if (identity.kind === 'sandbox') {
    const list = commandLine`ttctl sandbox fault list`;
    return { hint: `The embedded sandbox needs no sign-in: a fault may be set. See: ${list}` };
  }
  if (identity.kind === 'environment') return { hint: `${source} Set TTCTL_TOKEN to a valid token.` };
  return { hint: `${source} Sign in again: ${formatSignInCommand(identity)}` };
}

/** The sandbox inside ttctl signs its owner in by itself: a token can only be of another one. */
function formatForeignTokenHint([address]: readonly string[]): string {
  return address === undefined
    ? 'The profile sandbox needs no token. Unset TTCTL_TOKEN.'
    : `The profile sandbox needs no token and does not use ${address}. Unset both, or use another profile for that address (--profile default).`;
}

function adviseForbidden(error: ApiError, { identity, workspace, commandLine }: HintContext): Advice {
  if (error.code === 'insufficient_scope') {
    return { hint: formatWriteScopeHint(identity) };
  }
  const where = workspace === undefined ? '' : ` of workspace ${workspace}`;
  return {
    hint: `Only Owners and Executive Managers${where} may do this. See your roles: ${commandLine`ttctl workspaces list`}`,
  };
}

function adviseNotFound(
  operation: Operation,
  values: Values,
  { workspace, commandLine }: HintContext,
): Advice {
  const where = workspace === undefined ? '' : ` in workspace ${workspace}`;
  const records = listNamedRecords(operation, values);
  if (records.length === 0) return { hint: `${NO_LIST} ${commandLine`ttctl doctor`}` };
  const alone = records.length === 1 && getPathId(operation, values) !== '';
  const what = alone ? `${getPathId(operation, values)} among the ${nounOf(operation)}` : records.join(', ');
  const which = records.length > 1 ? '; one of them does not exist' : '';
  const gone = findOperation(`${nounOf(operation)}.archive`) ? ARCHIVED : 'gone';
  return {
    hint: `Looked for ${what}${where}${which}. It may be ${gone}, or belong to another workspace (--workspace).`,
  };
}

/** What a request names, in its order: `task 132, member 105, project 114`. */
function listNamedRecords({ path }: Operation, values: Values): readonly string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = name === 'userId' ? 'member' : name.replace(/Id$/, '');
    return `${kind} ${values[name]}`;
  });
  return values.project_id === undefined ? inPath : [...inPath, `project ${toText(values.project_id)}`];
}

function getPathId(operation: Operation, values: Values): string {
  const name = /\{(\w+)\}/.exec(operation.path)?.[1];
  return name === undefined ? '' : toText(values[name]);
}

/** Only who works on the project can be assigned to its tasks (docs/service.md, Tasks). */
function adviseNotOnProject(
  error: ApiError,
  { projectMembers }: Operation,
  values: Values,
  { commandLine }: HintContext,
): Advice | undefined {
  if (!projectMembers) return undefined;
  const project = values.project_id ?? placeholder('project');
  if (values.userId !== undefined) {
    if (/already/i.test(error.message)) return undefined;
    const contract = commandLine`ttctl contracts create --project ${project} --member ${values.userId}`;
    return { hint: `Only members of the project can be assigned. To add this member: ${contract}` };
  }
  if (values.assignees === undefined || !/assignee|member|user/i.test(error.message)) return undefined;
  const contract = commandLine`ttctl contracts create --project ${project} --member <member>`;
  return { hint: `Only members of the project can be assigned. To add a member: ${contract}` };
}

function adviseRefused(
  { message }: ApiError,
  operation: Operation,
  values: Values,
  { commandLine }: HintContext,
): Advice | undefined {
  const { refusal } = operation;
  if (refusal) return { hint: `${refusal.why}. See ${commandLine`ttctl ${refusal.see.split(' ')}`}` };
  const rule = formatRule(operation);
  if (rule === undefined) return undefined;
  // The service may have said so itself.
  const ruleText = message.includes(rule) ? '' : `${rule}. `;
  const list = commandLine`ttctl ${nounOf(operation)} list --id ${getPathId(operation, values)}`;
  return { hint: `${ruleText}See its status: ${list}` };
}

/** `Only submitted timesheets can be approved` */
function formatRule(operation: Operation): string | undefined {
  const { moves } = operation;
  const record = moves?.from === undefined ? undefined : findRecordFacts(nounOf(operation));
  return record && `Only ${moves?.from} ${record.words[1]} can be ${moves?.past}`;
}
