import { nounOf, type Operation } from '../../api/operation.ts';
import { allOperations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { buildRequest, NO_EXTRA, type Values } from '../../api/plan.ts';
import { findRecordFacts } from '../../api/records.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { isNumber, isRecord, isSameJson, stringifyJson, toText } from '../../json.ts';
import type { Result } from '../../output/result.ts';
import { formatSealedLines, parseSealedLines } from '../../parsing/sealed-lines.ts';
import { findReconciler } from '../../resources/registry.ts';
import { readOwnText, readText } from '../input/files.ts';

/**
 * A plan as a file of JSON lines (`parsing/sealed-lines.ts`): its head, then a line for each change (docs/changes.md).
 * Its checksum is no signature, so a row is read from its request alone: whatever else it says must follow from the
 * request and from `seen`, which is compared with the records.
 */

export interface PlanHead {
  readonly ttctl_plan: 1;
  readonly created_at: string;
  /** Zone of the times in its labels. */
  readonly timezone: string;
  readonly ttctl: string;
  readonly base_url: string;
  readonly workspace_id: number | null;
  readonly account: string | null;
  readonly command: string;
  readonly rows: number;
  readonly sha256: string;
}

export interface PlanRow {
  readonly n: number;
  readonly operation: string;
  /** The id of the record; what a new one is called. */
  readonly target: string;
  /** The record in words, as it was when the plan was made. */
  readonly label: string | null;
  /** Of `seen`, what the request changes. */
  readonly before: Row | null;
  /** What the request sets. Null: the record will be gone, or the request makes and changes none. */
  readonly after: Row | null;
  readonly request: NonNullable<Result['request']>;
  /** What the record has to show still; null: it is not checked. */
  readonly seen: Row | null;
  readonly unset?: readonly string[];
}

export interface PlannedWrite extends PlanRow {
  /** Path and body of the request. The workspace, which is the plan's, is not among them. */
  readonly values: Values;
  /** What the request carries beside what is in `after`: the task of an assignment, its project, raw fields. */
  readonly others: Row;
  readonly isDeletion: boolean;
}

export interface Plan {
  readonly head: PlanHead;
  readonly rows: readonly PlannedWrite[];
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
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isRowOrNull = (value: unknown): boolean => value === null || isRecord(value);

const isHead = (value: unknown): value is PlanHead =>
  isRecord(value) &&
  ['created_at', 'timezone', 'ttctl', 'base_url', 'command'].every((name) => isText(value[name])) &&
  isTextOrNull(value['account']) &&
  (value['workspace_id'] === null || isNumber(value['workspace_id'])) &&
  typeof value['rows'] === 'number';

const ROW_KEYS = ['n', 'operation', 'target', 'label', 'before', 'after', 'request', 'seen', 'unset'];

const isUnset = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length > 0 && value.every(isText));

const isPlanRow = (value: unknown, n: number): value is PlanRow => {
  if (!isRecord(value) || value['n'] !== n) return false;
  if (!Object.keys(value).every((key) => ROW_KEYS.includes(key))) return false;
  const { operation, target, label, before, after, request, seen, unset } = value;
  if (!isText(operation) || !isText(target) || !isTextOrNull(label) || !isUnset(unset)) return false;
  if (![before, after, seen].every(isRowOrNull) || !isRecord(request)) return false;
  return isText(request['method']) && isText(request['path']) && isRecord(request['query']);
};

/**
 * The lines of a plan, of which it is not known yet whether they agree with their requests. Pure.
 * @param file for errors
 * @throws UsageError for what is no plan, is damaged or was edited: with the line, where one is to blame
 */
export const parsePlan = (text: string, file: string) =>
  parseSealedLines(text, file, { isHead, isRow: isPlanRow, createError: createPlanError });

type RequestMeaning = Pick<PlannedWrite, 'values'> & { readonly operation: Operation };

/** The texts between the slashes of a path; undefined where it is not a path of this operation. */
const parsePath = (
  { path: template }: Operation,
  path: string,
): Readonly<Record<string, string>> | undefined => {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given[index]) return undefined;
    if (name !== undefined) values[name] = given[index] ?? '';
  }
  return values;
};

/** The request that this version sends for values, as a plan has it. */
const buildPlannedRequest = (
  { operation, values }: RequestMeaning,
  { workspace_id }: Pick<PlanHead, 'workspace_id'>,
): PlanRow['request'] => {
  const isKnown = ([name]: [string, unknown]): boolean =>
    Object.hasOwn(operation.parameters, name) || operation.path.includes(`{${name}}`);
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

/** To the byte, and with whatever else stands in it. */
const formatRequest = ({ method, path, query, body, ...others }: PlanRow['request']): string =>
  stringifyJson([method, path, query, body ?? null, others]);

/** @throws UsageError for a request that this version would not send in the plan's workspace */
const readRequest = (
  head: Pick<PlanHead, 'workspace_id'>,
  request: PlanRow['request'],
  place: string,
): RequestMeaning => {
  const { method, path, query, body } = request;
  const [found] = allOperations().flatMap((operation) => {
    const inPath = operation.method === method ? parsePath(operation, path) : undefined;
    return inPath === undefined || method === 'GET' ? [] : [{ operation, inPath }];
  });
  if (found === undefined) throw createPlanError(place, `no write of this version: ${method} ${path}`);
  const { operation, inPath } = found;
  const { workspace_id: inBody, ...fields } = isRecord(body) ? body : {};
  for (const id of [inBody, query['workspace_id']]) {
    if (id === undefined || toText(id) === toText(head.workspace_id)) continue;
    const [own, of] = [toText(id), toText(head.workspace_id ?? 'none')];
    throw createPlanError(place, `the request is for workspace ${own}, and the plan for workspace ${of}`);
  }
  try {
    const ids = Object.entries(inPath).map(([name, text]) => [name, decodeURIComponent(text)] as const);
    const meaning = { operation, values: { ...Object.fromEntries(ids), ...fields } };
    // A field in the body would stand for the id in the path.
    const isClear = ids.every(([name]) => !Object.hasOwn(fields, name));
    if (isClear && formatRequest(buildPlannedRequest(meaning, head)) === formatRequest(request))
      return meaning;
  } catch (error) {
    // The path cannot be decoded, has no id in it, or a field is missing.
    if (!(error instanceof URIError || error instanceof UsageError)) throw error;
  }
  throw createPlanError(
    place,
    `the request for ${operation.id} is not the one that this version sends`,
    `The plan has ${method} ${path}.`,
  );
};

/** What a new record is called, in the order of preference. */
const NAMES = ['name', 'title', 'email', 'expense_name', 'url'];

/** The parameter in the path that names the record: of an assignment the member. */
const getTargetName = ({ path }: Operation): string | undefined =>
  [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];

const getTarget = (operation: Operation, values: Values): string => {
  const name =
    getTargetName(operation) ??
    NAMES.find((one) => Object.hasOwn(operation.parameters, one) && isText(values[one]));
  if (name !== undefined) return toText(values[name]);
  const resource = findRecordFacts(nounOf(operation));
  return resource === undefined ? nounOf(operation).replaceAll('-', ' ') : `new ${resource.words[0]}`;
};

const withoutUndefined = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

const pickFields = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]));

/** What follows from a request, given what was seen of its record. No names are looked up for it. */
export const describeWrite = async (
  { operation, values }: RequestMeaning,
  seen: Row | null,
): Promise<Omit<PlannedWrite, 'n' | 'label' | 'request' | 'seen' | 'values'>> => {
  const { record, fields } = (await findReconciler(operation)) ?? {};
  const inPath = (name: string): boolean => operation.path.includes(`{${name}}`);
  const isKnown = (name: string): boolean => Object.hasOwn(operation.parameters, name) || inPath(name);
  const known = pickFields(values, Object.keys(values).filter(isKnown));
  const changed = await record?.effect(seen ?? {}, known);
  const set = record?.sets?.(known) ?? (await record?.effect({}, known))?.after ?? (await fields?.(known));
  const isDeletion = changed?.after === null;
  const after = isDeletion || set == null ? null : withoutUndefined({ ...set, ...changed?.after });
  const before = after === null ? seen : seen && pickFields(seen, Object.keys(after));
  const { shownAs = {} } = findRecordFacts(nounOf(operation)) ?? {};
  const isSaid = (name: string): boolean =>
    name === getTargetName(operation) ||
    (isKnown(name) && after !== null && Object.hasOwn(after, shownAs[name] ?? name));
  const others = pickFields(
    values,
    Object.keys(values).filter((name) => !isSaid(name)),
  );
  const target = getTarget(operation, values);
  return { operation: operation.id, target, before, after, others, isDeletion };
};

/**
 * A row of a plan, read from its request.
 * @param place for errors
 * @throws UsageError `bad_plan` where anything else in it says something else
 */
export const readRow = async (
  head: Pick<PlanHead, 'workspace_id'>,
  row: PlanRow,
  place: string,
): Promise<PlannedWrite> => {
  const meaning = readRequest(head, row.request, place);
  const { others, isDeletion, ...said } = await describeWrite(meaning, row.seen);
  const isNew = !meaning.operation.path.includes('{');
  const differing = Object.entries({ ...said, ...(isNew ? { label: null, seen: null } : {}) }).find(
    ([name, value]) => !isSameJson(value, row[name as keyof PlanRow]),
  );
  if (differing === undefined) return { ...row, ...said, values: meaning.values, others, isDeletion };
  const { method, path } = row.request;
  throw createPlanError(
    place,
    `its ${differing[0]} is not that of its request`,
    `${said.operation} ${said.target} is what ${method} ${path} does.`,
  );
};

/**
 * A plan whose rows say what their requests do. Offline: nothing is asked of the service.
 * @param file path, or `-` for stdin
 * @param options `own`: refused where somebody else owns or may write it
 * @throws UsageError `bad_plan` as `parsePlan` and `readRow`
 */
export const readPlan = async (
  context: Pick<Context, 'machine' | 'output'>,
  file: string,
  options: { readonly own?: boolean } = {},
): Promise<Plan> => {
  const name = file === '-' ? 'stdin' : file;
  const text = await (options.own === true ? readOwnText(context, file) : readText(context.machine, file));
  const { head, rows } = parsePlan(text, name);
  const read: PlannedWrite[] = [];
  for (const [index, row] of rows.entries()) read.push(await readRow(head, row, `${name}:${index + 2}`));
  return { head, rows: read };
};
