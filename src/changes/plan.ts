import { resolve } from 'node:path';
import { filterFields, selectFields, toWord } from '../api/fields.ts';
import { findOperation } from '../api/operations.ts';
import { type Row, toPages } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { findRecordFacts } from '../api/records.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isSameJson, stringifyJson, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { formatMoney, getToday, parseDateTime, parseDay } from '../parsing/calendar.ts';
import { OPAQUE_ID, toIsoDay } from '../parsing/names.ts';
import { createCommandTemplate, formatTimers } from '../parsing/shell-word.ts';
import { escapeMarkdown } from '../parsing/text.ts';
import { createNameColumn } from '../resources/columns.ts';
import { SOFT_DELETED } from '../resources/define.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { checkReplaced, replaceNamed } from '../storage/own-files.ts';
import { describeFinal, describeLasting, formatUnset, listLasting } from './accepted.ts';
import type { Change, SendResult, SentChange } from './change.ts';
import { readText } from './input/files.ts';
import { formatJobFacts } from './jobs.ts';
import { formatRun, type PlannedWrite, parseRun, type RunHead, type StepName } from './journal.ts';
import {
  createHead,
  type Head,
  isExact,
  parseStoredRequest,
  type RequestMeaning,
  readAccount,
  readDestination,
} from './log.ts';
import { describeDeletion, describeRecord, findSent, getFields, pickSeen, sortGraveFirst } from './look.ts';
import { pluralize } from './report.ts';
import { RunStore, requireRun } from './store.ts';

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
  /** What of it an undo could not set back. */
  readonly lasting: readonly string[];
  readonly isDeletion: boolean;
}

/**
 * A plan whose rows say what their requests do. Offline: nothing is asked of the service.
 * @param file path, or `-` for stdin
 * @param isOwn refused where somebody else owns or may write it
 * @throws UsageError `bad_plan` for what is no plan, was damaged or edited, or says anything else than its requests
 */
export async function readPlan(run: Run, file: string, isOwn = false): Promise<Plan> {
  const name = file === '-' ? 'stdin' : file;
  const text = await readText(run.machine, file, isOwn ? run.output.warn : undefined);
  const { head, rows } = parsePlan(text, name);
  const read: PlanRow[] = [];
  for (const row of rows) read.push(await readRow(head, row, `${name}:${row.n + 1}`));
  return { head, rows: read };
}

const ROW_KEYS = 'n operation target label before after request seen unset needs'.split(' ');

/** Of its writes it is not known yet whether they agree with their requests. @param file for errors */
export function parsePlan(text: string, file: string) {
  const { head, writes, problem } = parseRun(text, true);
  const { line, message } = problem ?? {};
  if (head === undefined || message !== undefined)
    throw createPlanError(line === undefined ? file : `${file}:${line}`, message ?? '');
  return {
    head,
    rows: writes.map((write): PlanWrite => {
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
  const { others, isDeletion, lasting, ...said } = await describeWrite(meaning, row.seen);
  const isNew = !operation.path.includes('{');
  const expected = Object.entries({ ...said, ...(isNew ? { seen: null } : {}) });
  const differing = expected.find(([name, value]) => !isSameJson(value, row[name as keyof PlanWrite]));
  if (differing === undefined) return { ...row, ...said, values, others, isDeletion, lasting };
  const what = `${said.operation} ${said.target} is what ${method} ${path} does.`;
  throw createPlanError(place, `its ${differing[0]} is not that of its request`, what);
}

/** What follows from a request, given what was seen of its record. No names are looked up for it. */
export async function describeWrite(
  { operation, values }: RequestMeaning,
  seen: Row | null,
): Promise<Pick<PlanRow, 'operation' | 'target' | 'before' | 'after' | 'others' | 'isDeletion' | 'lasting'>> {
  const { record, fields } = (await findReconciler(operation)) ?? {};
  const inPath = (name: string): boolean => operation.path.includes(`{${name}}`);
  const isKnown = (name: string): boolean => Object.hasOwn(operation.parameters, name) || inPath(name);
  const known = filterFields(values, isKnown);
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
  const others = filterFields(values, (name) => !isSaid(name));
  const isNamed = (one: string) =>
    Object.hasOwn(operation.parameters, one) && typeof values[one] === 'string';
  const name = idName ?? NAMES.find(isNamed);
  const kind = resource === undefined ? operation.noun.replaceAll('-', ' ') : `new ${resource.words[0]}`;
  const target = name === undefined ? kind : toText(values[name]);
  const lasting =
    seen !== null && operation.undo?.kind === 'values' ? listLasting(operation, changed?.old) : [];
  return { operation: operation.id, target, before, after, others, isDeletion, lasting };
}

const NAMES = ['name', 'title', 'email', 'expense_name', 'url'];

/**
 * A record in words, which are the same wherever and whenever the plan is read; null where there are none.
 * @param record as the service has it; absent: a new one, as it is sent
 * @param load whether the names behind its ids are fetched
 */
export async function describeLabel(
  run: Run,
  { call, target }: SentChange,
  record: Row | undefined,
  { created_at, timezone = 'UTC' }: Pick<RunHead, 'created_at' | 'timezone'>,
  load = true,
): Promise<string | null> {
  const member = createNameColumn(run.names, 'user_id');
  const labelColumns = call.operation.path.endsWith('{userId}') ? [member] : undefined;
  const style = { unicode: true, timeZone: timezone, now: () => Date.parse(created_at) };
  const known = record ?? (await findSent(call, run.names, false)) ?? {};
  return (await describeRecord(run, { call, target, labelColumns }, known, { style, load })) ?? null;
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
  const { at: day } = run.invocation.options;
  const today = () => getToday(run.clock.now(), run.timeZone());
  const at = day === undefined ? undefined : parseDay(String(day), today);
  const head = { ...(await createHead(run, await readAccount(run))), at };
  const rows: PlanWrite[] = [];
  const numbers = new Map(planned.map(({ change }, i) => [change.key, String(i + 1)]));
  for (const { sent, change } of planned) {
    const row = await toPlannedWrite(run, sent, change, rows.length + 1, head);
    await readRow(head, row, `no plan was written: ${row.target}`);
    rows.push({ ...row, needs: numbers.get(change.needs ?? '') });
  }
  const text = formatRun({ ...head, rows: rows.length }, rows);
  if (file === '-') return output.text(text);
  checkReplaced(file, 'plan');
  replaceNamed(file, text);
  const what = pluralize(rows.length, ['change', 'changes']);
  output.note(`Saved a plan of ${what} to ${file}. Nothing was sent.`);
  const show = commandLine`Review it: ttctl plan show ${file}`;
  output.hint(at === undefined ? show + commandLine`\nApply it: ttctl plan apply ${file}` : show);
  if (at === undefined) return;
  const { flags } = await readDestination(run);
  const apply = createCommandTemplate(flags)`ttctl plan apply ${resolve(file)} --yes`;
  const time = new Date(parseDateTime(`${at}T06:00`, run.timeZone));
  output.note(`Nothing runs it for you. ${formatTimers(apply, time, machine)}`);
}

async function toPlannedWrite(
  run: Run,
  { request, observation = {} }: SendResult,
  { call, unset }: Change,
  n: number,
  head: Head,
): Promise<PlanWrite> {
  const { json: redact } = run.machine.redactor;
  const { operation, values } = call;
  const { record, before } = observation;
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
  const {
    others: _others,
    isDeletion: _deletes,
    lasting: _lasting,
    ...said
  } = await describeWrite({ operation, values }, seen);
  const about = { call, target: said.target };
  // Of a new one in the names that this run knows.
  const label = isNew || record !== undefined ? await describeLabel(run, about, record, head, !isNew) : null;
  return redact({ n, ...said, label, request, seen, unset: unset?.length ? unset : undefined }) as PlanWrite;
}

/** A text that cannot be taken for anything else stands as it is; all others in quotes. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}@._-]*(?: [\p{L}\p{N}@._-]+)*$/u;

/** All that a request does, the grave first: `role: Regular User → Team manager, hours a week: 40 → 32`. */
export function describePlanRow(row: PlanRow, status?: string): string {
  const { operation, before, after, others, request, isDeletion } = row;
  const fields = getFields(operation);
  const { parameters = {}, path = '', noun = '' } = findOperation(operation) ?? {};
  const { shownAs = {} } = findRecordFacts(noun) ?? {};
  const describeField = (field: string): string => {
    const { title = formatName(field), words, kind } = fields[field] ?? {};
    const format = (value: unknown): string => {
      if (typeof value !== 'number') return formatExact(value);
      return words === undefined
        ? (kind === 'money' && formatMoney(value)) || `${value}`
        : toText(toWord(words, value));
    };
    const value = after?.[field];
    if (field === 'deleted_at' && value === SOFT_DELETED.yes) return describeDeletion(status, 'archived');
    // The word for a number could be sent as it is, too.
    const now = words !== undefined && typeof value === 'string' ? stringifyJson(value) : format(value);
    if (before === null || !Object.hasOwn(before, field)) return `${title}: ${now}`;
    const old = before[field];
    if (isSameJson(kind === 'date' ? toIsoDay(old) : old, value)) return `${title}: ${now} (unchanged)`;
    // Whether a name and an id are of one record a plan cannot tell.
    const isName = Object.entries(shownAs).some(([name, as]) => as === field && name.endsWith('_id'));
    return isName ? `${title}: ${now} (now ${format(old)})` : `${title}: ${format(old)} → ${now}`;
  };
  const describeOther = ([name, value]: [string, unknown]): string => {
    const isRaw = !Object.hasOwn(parameters, name) && !path.includes(`{${name}}`);
    return `${isRaw ? 'raw field ' : ''}${formatName(name)}: ${formatExact(value)}`;
  };
  const texts = [
    ...(isDeletion
      ? [describeDeletion(status)]
      : sortGraveFirst(Object.keys(after ?? {})).map(describeField)),
    ...Object.entries(others).map(describeOther),
  ];
  return texts.length === 0 ? `${request.method} ${request.path}` : texts.join(', ');
}

function formatName(name: string): string {
  return /^\w+$/.test(name) ? name : stringifyJson(name);
}

/** A value so that no other looks the same: who agrees to a plan agrees to it to the byte. */
function formatExact(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const isPlain = typeof value === 'string' && PLAIN.test(value) && value === value.normalize('NFC');
  return isPlain && Number.isNaN(Number(value)) && !/^(true|false)$/.test(value)
    ? value
    : stringifyJson(value);
}

export function listPlanWarnings({ rows }: Plan): readonly string[] {
  const count = (number: number): string => pluralize(number, ['change', 'changes']);
  const warnings: string[] = [];
  const deleted = rows.filter(({ isDeletion }) => isDeletion).length;
  if (deleted > 0)
    warnings.push(`${count(deleted)} permanently ${deleted === 1 ? 'deletes a record' : 'delete records'}.`);
  const unseen = rows.filter(({ seen, operation }) => !seen && findOperation(operation)?.path.includes('{'));
  if (unseen.length > 0)
    warnings.push(`${count(unseen.length)} cannot be checked: the old values were not recorded.`);
  for (const { target, unset } of rows)
    if (unset !== undefined) warnings.push(`${target}: ${formatUnset(unset)}.`);
  const lasting = describeLasting(rows.flatMap((row) => row.lasting));
  return [...warnings, ...lasting, ...describeFinal(rows.map(({ operation }) => operation))];
}

export function countOperations(ids: readonly string[]): string {
  return [...new Set(ids)].map((id) => `${ids.filter((one) => one === id).length} ${id}`).join(', ');
}

export const WRITE_FIELDS = [
  ...(['n', 'operation', 'target', 'label', 'before', 'after', 'status', 'at'] as const),
  ...(['message', 'error', 'request', 'seen'] as const),
];

export async function showPlan(run: Run, plan: Plan): Promise<void> {
  const { output, settings } = run;
  const { forPeople, shape } = settings.output.value;
  const { rows } = plan;
  const isMarkdown = forPeople && shape === 'cells';
  if (!isMarkdown) for (const text of listPlanWarnings(plan)) output.warn(text);
  const isHeaded = isMarkdown || shape === 'screen';
  for (const text of isHeaded ? [formatPlanHead(plan, isMarkdown), ''] : []) await output.text(text);
  const records = rows.map((row) => {
    const message = row.unset === undefined ? null : formatUnset(row.unset);
    return toRecord(row, { status: 'planned', at: null, message, error: null });
  });
  const texts = rows.map((row) => describePlanRow(row));
  const { n, record, operation, target, change } = createWriteColumns(records, texts);
  const columns = [n, record, operation, target, change];
  await output.list(toPages(records), { noun: 'changes', columns, id: 'target' });
}

/** What is true of a plan as a whole: a line each, in Markdown its warnings too. */
export function formatPlanHead(plan: Plan, isMarkdown: boolean): string {
  const { head, rows } = plan;
  const { command, created_at, account, base_url, workspace_id, at, timezone } = head;
  const facts = [
    ['command', command],
    ['made', account === null ? created_at : `${created_at} by ${account}`],
    ['service', base_url],
    ['workspace', `${workspace_id ?? 'none'}`],
    ['changes', countOperations(rows.map(({ operation }) => operation)) || 'none'],
    ...(at === undefined ? [] : [['apply', `from ${at} on (${timezone})`]]),
    ['recorded', 'names and old values: plan check compares them with the service'],
  ];
  if (!isMarkdown) return facts.map(([name = '', text]) => `${name.padEnd(9)}  ${text}`).join('\n');
  const toMarkdown = (text = ''): string => escapeMarkdown(text.replace(/\s+/g, ' '));
  const warnings = listPlanWarnings(plan).map((text) => `> **Warning:** ${toMarkdown(text)}`);
  return [
    `### Plan: ${pluralize(rows.length, ['change', 'changes'])}`,
    '',
    ...(warnings.length === 0 ? [] : [warnings.join('\n>\n'), '']),
    ...facts.map(([name, text]) => `- ${name}: ${toMarkdown(text)}`),
  ].join('\n');
}

/** A run with what has become of its writes. @throws UsageError for one that is damaged */
export async function showRun(context: Run, id: string): Promise<void> {
  const store = new RunStore(context);
  const run = requireRun(store.read(id), store);
  const isRunning = store.isRunning(run);
  for (const line of formatJobFacts(store, run)) context.output.note(line);
  const texts: string[] = [];
  const rows: Row[] = [];
  for (const row of run.rows) {
    // Once a run is over, nothing is planned or on its way any more.
    const status = isRunning ? row.step : (ENDS[row.step] ?? row.step);
    const reason = row.step === 'planned' && !isRunning ? (row.message ?? 'not sent') : row.message;
    const message = row.error?.['message'] ?? reason ?? null;
    rows.push(toRecord(row, { status, at: row.time ?? null, message, error: row.error ?? null }));
    texts.push(await describeStored(row, status));
  }
  const { record, operation, target, status, at, change, message } = createWriteColumns(rows, texts);
  // Where each has a name, what was typed can go.
  const isNamed = rows.every(({ label }) => label != null);
  const columns = [record, status, operation, at, change, message, isNamed ? { ...target, drop: 1 } : target];
  await context.output.list(toPages(rows), { noun: 'changes', columns, id: 'target' });
}

/** What a write changes, as its request says it; empty where that was not stored. */
export async function describeStored(row: PlannedWrite, status?: string): Promise<string> {
  const { request, before, seen } = row;
  const meaning = request && parseStoredRequest(request);
  const said = meaning && { ...(await describeWrite(meaning, before ?? seen)), values: meaning.values };
  return request && said ? describePlanRow({ ...row, ...said, request }, status) : '';
}

const ENDS: Readonly<Partial<Record<StepName, StepName>>> = { planned: 'skipped', sending: 'unknown' };

function toRecord(write: PlannedWrite, state: Pick<Row, 'status' | 'at' | 'message' | 'error'>): Row {
  const { n, operation, target, label, before, after, request, seen } = write;
  return { n, operation, target, label, before, after, ...state, request, seen };
}

/** Which record it is: its name, where one is known. */
export const recordColumn: Column = {
  ...{ field: 'label', title: 'record', least: 34 },
  show: ({ label, target }) => label ?? target,
};

/** @param texts what each write changes, by its number */
function createWriteColumns(rows: readonly Row[], texts: readonly string[]) {
  const isShort = rows.every(({ target }) => OPAQUE_ID.test(String(target)));
  const showChange: Column['show'] = ({ n }) => texts[Number(n) - 1] ?? '';
  return {
    n: { field: 'n', kind: 'number' },
    record: { ...recordColumn, sparse: true },
    operation: { field: 'operation', drop: 3 },
    // Who is meant is what the request names: it stays, whatever the recorded name says.
    target: { field: 'target', ...(isShort && { short: true }) },
    status: { field: 'status', kind: 'state' },
    at: { field: 'at', title: 'when', kind: 'time', drop: 2 },
    change: { field: 'change', derived: true, show: showChange, kind: 'text', wrap: true },
    message: { field: 'message', sparse: true, wrap: true },
  } as const satisfies Record<string, Column>;
}
