import { type Api, type ApiCall, buildCall } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import { buildRequest, hasParameter, NO_EXTRA, type Values } from '../api/plan.ts';
import { UsageError } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord, stringifyJson, toText } from '../json.ts';
import type { Change } from './change.ts';
import type { PlannedWrite, RunHead } from './journal.ts';

/** A request as a file of writes has it, and what it means. */

export interface RequestMeaning {
  readonly operation: Operation;
  /** Path and body of the request; the workspace where it is not that of the file. */
  readonly values: Values;
}

type Place = Pick<RunHead, 'workspace_id'>;

/** The request that this version sends for values. @throws UsageError for values that no request can have */
export function buildStoredRequest(
  { operation, values }: Pick<ApiCall, 'operation' | 'values'>,
  { workspace_id }: Place,
): PlannedRequest {
  const pairs = Object.entries(values);
  const isKnown = ([name]: [string, unknown]): boolean => hasParameter(operation, name);
  const input = Object.fromEntries(pairs.filter((pair) => !isKnown(pair)));
  const { method, path, query, body } = buildRequest(operation, Object.fromEntries(pairs.filter(isKnown)), {
    base: '',
    workspaceId: workspace_id ?? undefined,
    extra: { ...NO_EXTRA, input },
    flagOf: (name) => name,
  });
  return { method, path, query: Object.fromEntries(query), body };
}

/** Undefined for a request that is none of this version's writes. */
export function parseStoredRequest(
  { method, path, body }: PlannedRequest,
  { workspace_id }: Place,
): RequestMeaning | undefined {
  const found = method === 'GET' ? undefined : findOperation(method, path);
  if (found === undefined) return undefined;
  const { workspace_id: own, ...fields } = isRecord(body) ? body : {};
  const isOwn = own !== undefined && toText(own) !== toText(workspace_id);
  return {
    operation: found.operation,
    values: { ...found.values, ...(isOwn && { workspace_id: own }), ...fields },
  };
}

/** The call of a write; undefined where its request was not stored, or is none of this version's. */
export function buildStoredCall(
  api: Api,
  { request }: Pick<PlannedWrite, 'request'>,
  place: Place,
): ApiCall | undefined {
  const meaning = request === null ? undefined : parseStoredRequest(request, place);
  return meaning && buildCall(api, meaning.operation.id, meaning.values);
}

/** A stored write as the pipeline sends it. */
export function toChange(write: PlannedWrite, call: ApiCall): Change {
  const { n, target, key = target, columns = { id: target }, label, seen, unset } = write;
  return {
    ...{ n: n - 1, target, key, columns, unset, call, after: call.values },
    label: label ?? undefined,
    seen: seen ?? undefined,
  };
}

/** Whether this version sends exactly this request, with nothing else in it. */
export function isExact(request: PlannedRequest, meaning: RequestMeaning, place: Place): boolean {
  const { method, path, query, body, ...others } = request;
  // A field in the body would stand for the id in the path.
  if (isRecord(body) && Object.keys(body).some((name) => meaning.operation.path.includes(`{${name}}`)))
    return false;
  try {
    const built = buildStoredRequest(meaning, place);
    const rebuilt = [built.method, built.path, built.query, built.body ?? null, {}];
    return stringifyJson(rebuilt) === stringifyJson([method, path, query, body ?? null, others]);
  } catch (error) {
    // The path has no id in it, or a field is missing.
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** The values of the path, decoded. */
function findOperation(method: string, path: string): RequestMeaning | undefined {
  for (const operation of allOperations()) {
    const values = operation.method === method ? parsePath(operation, path) : undefined;
    if (values !== undefined) return { operation, values };
  }
  return undefined;
}

/** The texts between the slashes of a path; undefined where it is not a path of this operation. */
function parsePath({ path: template }: Operation, path: string): Record<string, string> | undefined {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given[index]) return undefined;
    if (name === undefined) continue;
    try {
      values[name] = decodeURIComponent(given[index] ?? '');
    } catch {
      return undefined;
    }
  }
  return values;
}
