import { type Api, type ApiCall, buildCall } from '../../api/client.ts';
import type { Operation } from '../../api/operation.ts';
import { allOperations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { buildRequest, NO_EXTRA, type Values } from '../../api/plan.ts';
import type { TargetResult } from '../../context.ts';
import { isRecord } from '../../json/number.ts';
import { stringifyJson, toText } from '../../json/stringify.ts';
import { UsageError } from '../../outcome.ts';
import { formatSealedLines, parseSealedLines } from '../../parsing/sealed-lines.ts';

/**
 * A plan as a file of JSON lines (`parsing/sealed-lines.ts`): its head, then a line for each change (docs/changes.md).
 */

export interface PlanHead {
  readonly ttctl_plan: 1;
  /** ISO 8601. */
  readonly created_at: string;
  /** Version of the program. */
  readonly ttctl: string;
  /** Origin of the service, or `embedded`. */
  readonly base_url: string;
  readonly workspace_id: number | null;
  readonly account: string | null;
  readonly command: string;
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface PlanRow {
  /** From 1. */
  readonly n: number;
  readonly operation: string;
  readonly target: string;
  readonly label: string | null;
  readonly before: Row | null;
  /** Null: the record will be gone, or nothing is known of it. */
  readonly after: Row | null;
  readonly request: NonNullable<TargetResult['request']>;
  /** What the record has to show still; null: it is not checked. */
  readonly seen: Row | null;
  /** What is to be known of it: why the record could not be read. */
  readonly message?: string;
  /** Of an undo: fields that it cannot set back. */
  readonly unset?: readonly string[];
}

export interface Plan {
  readonly head: PlanHead;
  readonly rows: readonly PlanRow[];
}

export const formatPlan = (head: Omit<PlanHead, 'sha256'>, rows: readonly PlanRow[]): string =>
  formatSealedLines(head, rows);

const createPlanError = (place: string, message: string, reason?: string): UsageError =>
  new UsageError(`${place}: ${message}`, {
    code: 'bad_plan',
    reason,
    hint: 'Nothing was sent. Make the plan again with --plan.',
  });

const isText = (value: unknown): value is string => typeof value === 'string';
const isRowOrNull = (value: unknown): boolean => value === null || isRecord(value);

const isHead = (value: unknown): value is PlanHead =>
  isRecord(value) &&
  [value['created_at'], value['ttctl'], value['base_url'], value['command']].every(isText) &&
  typeof value['rows'] === 'number';

const isPlanRow = (value: unknown, n: number): value is PlanRow => {
  if (!isRecord(value) || value['n'] !== n) return false;
  const { operation, target, label, before, after, request, seen } = value;
  if (!isText(operation) || !isText(target) || !(label === null || isText(label))) return false;
  if (![before, after, seen].every(isRowOrNull) || !isRecord(request)) return false;
  return isText(request['method']) && isText(request['path']) && isRecord(request['query']);
};

/**
 * Pure.
 * @param file for errors
 * @throws UsageError for what is no plan, is damaged or was edited: with the line, where one is to blame
 */
export const parsePlan = (text: string, file: string): Plan =>
  parseSealedLines(text, file, {
    noun: 'plan',
    version: 'ttctl_plan',
    isHead,
    isRow: isPlanRow,
    createError: createPlanError,
  });

/** The values between the slashes of a path; undefined where it is not a path of this operation. */
const parsePath = ({ path: template }: Operation, path: string): Values | undefined => {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given[index]) return undefined;
    if (name !== undefined) values[name] = decodeURIComponent(given[index] ?? '');
  }
  return values;
};

type PlannedRequest = PlanRow['request'];

/** The request that this version sends for values, as a plan has it. */
const buildPlannedRequest = (
  operation: Operation,
  inPath: Values,
  values: Values,
  { workspace_id }: PlanHead,
): PlannedRequest => {
  const isKnown = ([name]: [string, unknown]): boolean =>
    Object.hasOwn(operation.parameters, name) || Object.hasOwn(inPath, name);
  const pairs = Object.entries(values);
  const input = Object.fromEntries(pairs.filter((pair) => !isKnown(pair)));
  const { method, path, query, body } = buildRequest(operation, Object.fromEntries(pairs.filter(isKnown)), {
    base: '',
    workspaceId: workspace_id ?? undefined,
    extra: { ...NO_EXTRA, input },
    flagOf: (name) => name,
  });
  return { method, path, query: Object.fromEntries(query), body };
};

const formatRequest = ({ method, path, query, body }: PlannedRequest): string =>
  stringifyJson([method, path, query, body ?? null]);

/** Whether this version sends the request of a plan for its values. */
const isSent = (request: PlannedRequest, ...given: Parameters<typeof buildPlannedRequest>): boolean => {
  try {
    return formatRequest(buildPlannedRequest(...given)) === formatRequest(request);
  } catch (error) {
    // A field is missing that the operation needs.
    if (error instanceof UsageError) return false;
    throw error;
  }
};

/**
 * The call that sends the request of a row, and no other.
 * @throws UsageError for a request that this version would not send
 */
export const toPlannedCall = (
  api: Api,
  head: PlanHead,
  { operation: id, request }: PlanRow,
  place: string,
): ApiCall => {
  const operation = allOperations().find((one) => one.id === id);
  const inPath = operation && parsePath(operation, request.path);
  const { workspace_id: own, ...fields } = isRecord(request.body) ? request.body : {};
  // A workspace of the request's own, which `--field` gave it.
  const isOwn = own !== undefined && toText(own) !== toText(head.workspace_id);
  const values = { ...inPath, ...(isOwn ? { workspace_id: own } : {}), ...fields };
  const call = inPath && buildCall(api, id, values);
  if (operation === undefined || inPath === undefined || call === undefined)
    throw createPlanError(place, `no request of ${id}: ${request.method} ${request.path}`);
  if (isSent(request, operation, inPath, values, head)) return call;
  throw createPlanError(
    place,
    `the request for ${id} is not the one that this version sends`,
    `The plan has ${request.method} ${request.path}.`,
  );
};
