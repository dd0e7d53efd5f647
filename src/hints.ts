import type { Operation } from './api/operation.ts';
import type { Values } from './api/plan.ts';
import type { Identity } from './context.ts';
import { ApiError, type FailureFacts, type NetworkError } from './outcome.ts';

/** What to do about an answer of the service, in terms of the command line. The service's own words stay. */

export interface HintFacts {
  readonly identity: Identity;
  readonly workspace: number | undefined;
}

type Advice = Partial<FailureFacts>;

const idOf = (operation: Operation, values: Values): string => {
  const name = /\{(\w+)\}/.exec(operation.path)?.[1];
  return name === undefined ? '' : String(values[name] ?? '');
};

const nounOf = (operation: Operation): string => operation.id.split('.')[0] ?? '';

const unauthenticated = ({ identity }: HintFacts): Advice => {
  const from = `The token came from ${identity.source} (profile ${identity.profile}).`;
  if (identity.kind === 'environment') return { reason: from, hint: 'Put a valid token into TTCTL_TOKEN.' };
  return {
    reason: from,
    hint: `Sign in again: ttctl auth login --profile ${identity.profile} --token-stdin`,
  };
};

const forbidden = (error: ApiError, { identity, workspace }: HintFacts): Advice => {
  if (error.code === 'insufficient_scope') {
    return {
      hint: `Make a token with the write scope and store it: ttctl auth login --profile ${identity.profile} --token-stdin`,
    };
  }
  const where = workspace === undefined ? '' : ` of workspace ${workspace}`;
  return {
    hint: `Only Owners and Executive Managers${where} may do this. See your roles: ttctl workspaces list`,
  };
};

const notFound = (operation: Operation, values: Values, { workspace }: HintFacts): Advice => {
  const id = idOf(operation, values);
  const where = workspace === undefined ? '' : ` in workspace ${workspace}`;
  return {
    ...(id === '' ? {} : { reason: `Looked for ${id} among the ${nounOf(operation)}${where}.` }),
    hint: 'It may be archived, or belong to another workspace (--workspace).',
  };
};

const STATES: Readonly<Record<string, string>> = {
  'timesheets.approve': 'Only submitted timesheets can be approved',
  'timesheets.reject': 'Only submitted timesheets can be rejected',
  'timesheets.submit': 'Only open timesheets can be submitted',
  'timesheets.unsubmit': 'Only submitted timesheets can be taken back',
};

const refused = (operation: Operation, values: Values): Advice | undefined => {
  const rule = STATES[operation.id];
  if (rule === undefined) return undefined;
  return { hint: `${rule}. See its state: ttctl ${nounOf(operation)} list --id ${idOf(operation, values)}` };
};

/** Advice for an error of an operation; `undefined` where there is none beyond what the error says. */
export const hintFor = (
  error: ApiError | NetworkError,
  operation: Operation,
  values: Values,
  facts: HintFacts,
): Advice | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 401) return unauthenticated(facts);
  if (error.status === 403) return forbidden(error, facts);
  if (error.status === 404) return notFound(operation, values, facts);
  return error.status === 400 || error.status === 422 ? refused(operation, values) : undefined;
};
