import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { findRecordFacts } from '../api/records.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isSameJson, stringifyJson, toText } from '../json.ts';
import { createNameColumn } from '../resources/columns.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { checkReplaced, replaceNamed } from '../storage/own-files.ts';
import { readAccount } from './account.ts';
import type { Change, SendResult } from './change.ts';
import { describeRecord } from './describe-change.ts';
import { readText } from './input/files.ts';
import { formatRun, type PlannedWrite, parseRun, type RunHead } from './journal.ts';
import { createHead, type Head, isExact, parseStoredRequest, type RequestMeaning } from './log.ts';
import { pickSeen } from './look.ts';
import { pluralize } from './report.ts';

/**
 * A plan: a file of writes without steps (`journal.ts`). Its checksum is no signature, so a write is read from its
 * request alone: whatever else it says must follow from the request and from `seen`, which is compared with the records.
 */

export interface Plan {
  readonly head: RunHead;
  readonly rows: readonly PlanRow[];
}

export interface PlanWrite extends PlannedWrite {
  readonly request: PlannedRequest;
}

export interface PlanRow extends PlanWrite {
  /** Path and body of the request. The workspace, which is the plan's, is not among them. */
  readonly values: Values;
  /** What the request carries beside what is in `after`: the task of an assignment, its project, raw fields. */
  readonly others: Row;
  readonly isDeletion: boolean;
}

/**
 * A plan whose rows say what their requests do. Offline: nothing is asked of the service.
 * @param file path, or `-` for stdin
 * @param options `own`: refused where somebody else owns or may write it
 * @throws UsageError `bad_plan` for what is no plan, was damaged or edited, or says anything else than its requests
 */
export async function readPlan(
  run: Pick<Run, 'machine' | 'output'>,
  file: string,
  options: { readonly own?: boolean } = {},
): Promise<Plan> {
  const name = file === '-' ? 'stdin' : file;
  const text = await readText(run.machine, file, options.own === true ? run.output.warn : undefined);
  const { head, rows } = parsePlan(text, name);
  const read: PlanRow[] = [];
  for (const row of rows) read.push(await readRow(head, row, `${name}:${row.n + 1}`));
  return { head, rows: read };
}

const ROW_KEYS = ['n', 'operation', 'target', 'label', 'before', 'after', 'request', 'seen', 'unset'];

/** Of its writes it is not known yet whether they agree with their requests. @param file for errors */
export function parsePlan(
  text: string,
  file: string,
): { readonly head: RunHead; readonly rows: readonly PlanWrite[] } {
  const { head, writes, problem } = parseRun(text, true);
  const { line, message } = problem ?? {};
  if (head === undefined || message !== undefined)
    throw createPlanError(line === undefined ? file : `${file}:${line}`, message ?? '');
  return {
    head,
    rows: writes.map((write) => {
      const { request } = write;
      if (request !== null && Object.keys(write).every((key) => ROW_KEYS.includes(key)))
        return { ...write, request };
      throw createPlanError(`${file}:${write.n + 1}`, 'not a row of a plan');
    }),
  };
}

function createPlanError(place: string, message: string, reason?: string): UsageError {
  return new UsageError(`${place}: ${message}`, {
    code: 'bad_plan',
    reason,
    hint: 'Nothing was sent. Make the plan again, or send the changes without one.',
  });
}

/**
 * A row of a plan, read from its request.
 * @param place for errors
 * @throws UsageError `bad_plan` where anything else in it says something else, and for a request that this version would
 *   not send in the plan's workspace
 */
export async function readRow(
  head: Pick<RunHead, 'workspace_id'>,
  row: PlanWrite,
  place: string,
): Promise<PlanRow> {
  const { request } = row;
  const { method, path } = request;
  const meaning = parseStoredRequest(request);
  if (meaning === undefined) throw createPlanError(place, `no write of this version: ${method} ${path}`);
  const { operation, values } = meaning;
  if (!isExact(request, meaning, head)) {
    const message = `the request for ${operation.id} is not the one that this version sends`;
    const { workspace_id: workspace } = head;
    throw createPlanError(
      place,
      message,
      `The plan has ${method} ${path}, for workspace ${workspace ?? 'none'}.`,
    );
  }
  const { others, isDeletion, ...said } = await describeWrite(meaning, row.seen);
  const isNew = !operation.path.includes('{');
  const expected = Object.entries({ ...said, ...(isNew ? { label: null, seen: null } : {}) });
  const differing = expected.find(([name, value]) => !isSameJson(value, row[name as keyof PlanWrite]));
  if (differing === undefined) return { ...row, ...said, values, others, isDeletion };
  const what = `${said.operation} ${said.target} is what ${method} ${path} does.`;
  throw createPlanError(place, `its ${differing[0]} is not that of its request`, what);
}

/** What follows from a request, given what was seen of its record. No names are looked up for it. */
export async function describeWrite(
  { operation, values }: RequestMeaning,
  seen: Row | null,
): Promise<Pick<PlanRow, 'operation' | 'target' | 'before' | 'after' | 'others' | 'isDeletion'>> {
  const { record, fields } = (await findReconciler(operation)) ?? {};
  const inPath = (name: string): boolean => operation.path.includes(`{${name}}`);
  const isKnown = (name: string): boolean => Object.hasOwn(operation.parameters, name) || inPath(name);
  const known = selectFields(values, Object.keys(values).filter(isKnown));
  const changed = await record?.effect(seen ?? {}, known);
  const set = record?.sets?.(known) ?? (await record?.effect({}, known))?.after ?? (await fields?.(known));
  const isDeletion = changed?.after === null;
  const changes = Object.entries({ ...set, ...changed?.after }).filter(([, value]) => value !== undefined);
  const after = isDeletion || set == null ? null : Object.fromEntries(changes);
  const before = after === null ? seen : seen && selectFields(seen, Object.keys(after));
  const resource = findRecordFacts(operation.noun);
  // The parameter in the path that names the record, of an assignment the member; of a new one what it is called.
  const idName = operation.idNames.at(-1);
  const isSaid = (name: string): boolean =>
    name === idName ||
    (isKnown(name) && after !== null && Object.hasOwn(after, resource?.shownAs?.[name] ?? name));
  const others = selectFields(
    values,
    Object.keys(values).filter((name) => !isSaid(name)),
  );
  const isNamed = (one: string) =>
    Object.hasOwn(operation.parameters, one) && typeof values[one] === 'string';
  const name = idName ?? NAMES.find(isNamed);
  const kind = resource === undefined ? operation.noun.replaceAll('-', ' ') : `new ${resource.words[0]}`;
  const target = name === undefined ? kind : toText(values[name]);
  return { operation: operation.id, target, before, after, others, isDeletion };
}

const NAMES = ['name', 'title', 'email', 'expense_name', 'url'];

function selectFields(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]),
  );
}

/** A record in words, which are the same wherever and whenever the plan is read; null where there are none. */
export async function describeLabel(
  run: Pick<Run, 'output' | 'names'>,
  { call, target }: Pick<Change, 'call' | 'target'>,
  record: Row,
  { created_at, timezone = 'UTC' }: Pick<RunHead, 'created_at' | 'timezone'>,
): Promise<string | null> {
  const member = createNameColumn(run.names.member, 'user_id', 'member');
  const labelColumns = call.operation.path.endsWith('{userId}') ? [member] : undefined;
  const style = { unicode: true, timeZone: timezone, now: () => Date.parse(created_at) };
  return (await describeRecord(run, { call, target, labelColumns }, record, { style })) ?? null;
}

/**
 * What `--plan` does: the changes of a dry run, written to a file.
 * @param file path, or `-` for stdout
 * @throws Failure for a change with a secret in it; UsageError for one that could not be read from its request
 */
export async function savePlan(
  run: Run,
  file: string,
  planned: readonly { readonly sent: SendResult; readonly change: Change }[],
): Promise<void> {
  const { output, commandLine, machine } = run;
  const { json: redact } = machine.redactor;
  // A person or a program to whom the plan goes reads all of it. Of the request of a dry run they are masked already.
  for (const { call, target } of planned.map(({ change }) => change)) {
    if (stringifyJson(redact(call.values)) === stringifyJson(call.values)) continue;
    throw new Failure(`no plan was written: the request for ${redact(target)} contains a secret`, {
      code: 'secret_in_plan',
      exit: EXIT.usage,
      hint: 'Run this change itself, without --plan.',
    });
  }
  const head = await createHead(run, await readAccount(run));
  const rows: PlanWrite[] = [];
  for (const { sent, change } of planned) {
    const row = await toPlannedWrite(run, sent, change, rows.length + 1, head);
    await readRow(head, row, `no plan was written: ${row.target}`);
    rows.push(row);
  }
  const text = formatRun({ ...head, rows: rows.length }, rows);
  if (file === '-') await run.output.text(text);
  else {
    checkReplaced(file, 'plan');
    replaceNamed(file, text);
  }
  if (file === '-') return;
  const what = pluralize(rows.length, ['change', 'changes']);
  output.note(`Saved a plan of ${what} to ${file}. Nothing was sent.`);
  const show = commandLine`Review it: ttctl plan show ${file}`;
  output.hint(show + commandLine`\nApply it: ttctl plan apply ${file}`);
}

async function toPlannedWrite(
  run: Run,
  { request, observation = {} }: SendResult,
  { call, unset }: Change,
  n: number,
  head: Head,
): Promise<PlanWrite> {
  const { json: redact } = run.machine.redactor;
  const { operation } = call;
  const { record, before } = observation;
  const { values } = call;
  const isNew = !operation.path.includes('{');
  const { after } = await describeWrite({ operation, values }, null);
  const now: Row = { ...record, ...before };
  const shown = selectFields(now, Object.keys(after ?? {}));
  // What is masked in the file cannot be compared with the record later.
  const plain = Object.entries({ ...pickSeen(operation.id, observation), ...shown }).filter(
    ([name, value]) =>
      value !== undefined && stringifyJson(redact({ [name]: value })) === stringifyJson({ [name]: value }),
  );
  const seen = isNew || plain.length === 0 ? null : Object.fromEntries(plain);
  const { others: _others, isDeletion: _deletes, ...said } = await describeWrite({ operation, values }, seen);
  const about = { call, target: said.target };
  const label = isNew || record === undefined ? null : await describeLabel(run, about, record, head);
  return redact({ n, ...said, label, request, seen, unset: unset?.length ? unset : undefined }) as PlanWrite;
}
