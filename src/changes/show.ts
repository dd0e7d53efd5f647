import { toWord } from '../api/fields.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { isNumber, isSameJson, stringifyJson, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { escapeMarkdown } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { formatUnset } from './accepted.ts';
import { getFields, sortGraveFirst } from './describe-change.ts';
import { formatJobFacts } from './jobs.ts';
import type { PlannedWrite, RunHead, StepName, StoredWrite } from './journal.ts';
import { parseStoredRequest } from './log.ts';
import { describeWrite, type Plan, type PlanRow } from './plan.ts';
import { pluralize } from './report.ts';
import { openRuns, requireRun, type WholeRun } from './store.ts';

/** How a file of writes is shown: a plan for people to judge, offline, and a run with what has become of it. */

/** What cannot be taken for anything else: no number, nothing that parts fields or values, only what can be seen. */
const PLAIN =
  /^(?!-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$|true$|false$|–$)[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/iu;
const PARTING = /, |: |→| {2}| $/;

/** All that a request does, the grave first: `role: Regular User → Team manager, hours a week: 40 → 32`. */
export function describePlanRow(row: PlanRow): string {
  const { operation, before, after, others, request, isDeletion } = row;
  const fields = getFields(operation);
  const { parameters = {}, path = '' } = findOperation(operation) ?? {};
  const describeField = (field: string): string => {
    const { title = formatName(field), words } = fields[field] ?? {};
    const format = (value: unknown): string =>
      formatExact(words !== undefined && isNumber(value) ? toWord(words, value) : value);
    const value = after?.[field];
    // The word for a number could be sent as it is, too.
    const now = words !== undefined && typeof value === 'string' ? quote(value) : format(value);
    if (before === null || !Object.hasOwn(before, field)) return `${title}: ${now}`;
    if (isSameJson(before[field], value)) return `${title}: ${now} (unchanged)`;
    return `${title}: ${format(before[field])} → ${now}`;
  };
  const describeOther = ([name, value]: [string, unknown]): string => {
    const isRaw = !Object.hasOwn(parameters, name) && !path.includes(`{${name}}`);
    return `${isRaw ? 'raw field ' : ''}${formatName(name)}: ${formatExact(value)}`;
  };
  const texts = [
    ...(isDeletion ? ['will be deleted'] : sortGraveFirst(Object.keys(after ?? {})).map(describeField)),
    ...Object.entries(others).map(describeOther),
  ];
  return texts.length === 0 ? `${request.method} ${request.path}` : texts.join(', ');
}

function formatName(name: string): string {
  return /^\w+$/.test(name) ? name : quote(name);
}

function quote(value: unknown): string {
  return stringifyJson(value)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (sign) =>
      [...sign].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
    )
    .replace(/ (?= )|→/g, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** A value so that no other looks the same: who agrees to a plan agrees to it to the byte. */
function formatExact(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (isNumber(value) || typeof value === 'boolean') return toText(value);
  return typeof value === 'string' && isPlain(value) ? value : quote(value);
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !PARTING.test(text) && text === text.normalize('NFC');
}

/** Whether the row changes a record of which it does not say how it was. */
function isUnseen({ seen, request, operation }: PlanRow): boolean {
  return (
    seen === null && findOperation(operation)?.path.includes('{') === true && !request.path.includes('new%3A')
  );
}

export function listPlanWarnings({ rows }: Plan): readonly string[] {
  const count = (number: number): string => pluralize(number, ['change', 'changes']);
  const deleted = rows.filter(({ isDeletion }) => isDeletion).length;
  const unseen = rows.filter(isUnseen).length;
  const undos = rows.map(({ operation }) => findOperation(operation)?.undo);
  const reasons = countBy(undos.flatMap((undo) => (undo?.kind === 'none' ? [undo.why] : [])));
  return [
    ...(deleted === 0
      ? []
      : [`${count(deleted)} permanently ${deleted === 1 ? 'deletes a record' : 'delete records'}.`]),
    ...(unseen === 0
      ? []
      : [`${count(unseen)} cannot be checked: the old values of the records were not recorded.`]),
    ...rows.flatMap(({ target, unset }) =>
      unset === undefined ? [] : [`${target}: ${formatUnset(unset)}.`],
    ),
    ...[...reasons].map(([why, number]) => `${count(number)} cannot be undone: ${why}.`),
  ];
}

/** `12 timesheets.approve, 2 timesheets.reject` */
export function countOperations(ids: readonly string[]): string {
  return [...countBy(ids)].map(([id, number]) => `${number} ${id}`).join(', ');
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function listPlanFacts({ head, rows }: Plan): readonly (readonly [name: string, text: string])[] {
  const { command, created_at, account, base_url, workspace_id }: RunHead = head;
  const facts: [string, string][] = [
    ['command', command],
    ['made', account === null ? created_at : `${created_at} by ${account}`],
    ['service', base_url],
    ['workspace', `${workspace_id ?? 'none'}`],
  ];
  if (rows.length > 0) facts.push(['changes', countOperations(rows.map(({ operation }) => operation))]);
  if (rows.some(({ label, seen }) => label !== null || seen !== null))
    facts.push(['recorded', 'names and old values: plan check compares them with the service']);
  return facts;
}

function formatPlanFacts(plan: Plan): string {
  return listPlanFacts(plan)
    .map(([name, text]) => `${name.padEnd(9)}  ${text}`)
    .join('\n');
}

function toMarkdown(text: string): string {
  return escapeMarkdown(text.replace(/\s+/g, ' '));
}

export function formatMarkdownHead(plan: Plan): string {
  const warnings = listPlanWarnings(plan).map((text) => `> **Warning:** ${toMarkdown(text)}\n>`);
  return [
    `### Plan: ${pluralize(plan.rows.length, ['change', 'changes'])}`,
    '',
    ...(warnings.length === 0 ? [] : [...warnings.join('\n').split('\n').slice(0, -1), '']),
    ...listPlanFacts(plan).map(([name, text]) => `- ${name}: ${toMarkdown(text)}`),
  ].join('\n');
}

/** A write as JSON has it, whether of a plan or of a run. */
export const WRITE_FIELDS = [
  ...(['n', 'operation', 'target', 'label', 'before', 'after', 'status', 'at'] as const),
  ...(['message', 'error', 'request', 'seen'] as const),
];

/** Offline: nothing is asked of the service. */
export async function showPlan(run: Run, plan: Plan): Promise<void> {
  const { output, settings } = run;
  const { forPeople, shape } = settings.output.value;
  const isDocument = forPeople && shape === 'cells';
  if (!isDocument) for (const text of listPlanWarnings(plan)) output.warn(text);
  const head = isDocument ? formatMarkdownHead(plan) : shape === 'screen' && formatPlanFacts(plan);
  for (const text of head ? [head, ''] : []) await output.text(text);
  const rows = plan.rows.map((row) => {
    const message = row.unset === undefined ? null : formatUnset(row.unset);
    return toRecord(row, { status: 'planned', at: null, message, error: null });
  });
  const texts = plan.rows.map(describePlanRow);
  const { n, record, operation, target, change } = createWriteColumns(texts);
  // Of what does not fit, the recorded name goes first: who is meant is what the request names.
  await showWrites(run, rows, [n, record, operation, target, change]);
}

/** A run with what has become of its writes. @throws UsageError for one that is damaged */
export async function showRun(context: Run, id: string): Promise<void> {
  const store = openRuns(context);
  const run = requireRun(store.read(id), store);
  const isRunning = store.isRunning(run);
  for (const line of await formatJobFacts(context, store, run)) context.output.note(line);
  const rows = run.rows.map((row) => {
    // Once a run is over, nothing is planned or on its way any more.
    const status = isRunning ? row.step : (ENDS[row.step] ?? row.step);
    const reason = row.step === 'planned' && !isRunning ? (row.message ?? 'not sent') : row.message;
    const message = row.error?.['message'] ?? reason ?? null;
    return toRecord(row, { status, at: row.time ?? null, message, error: row.error ?? null });
  });
  const texts = await Promise.all(run.rows.map((row) => describeStoredWrite(run, row)));
  const { label, operation, target, status, at, change, message } = createWriteColumns(texts);
  await showWrites(context, rows, [target, status, label, operation, at, change, message]);
}

const ENDS: Readonly<Partial<Record<StepName, StepName>>> = { planned: 'skipped', sending: 'unknown' };

function toRecord(write: PlannedWrite, state: Pick<Row, 'status' | 'at' | 'message' | 'error'>): Row {
  const { n, operation, target, label, before, after, request, seen } = write;
  return { n, operation, target, label, before, after, ...state, request, seen };
}

/** @param texts what each write changes, by its number */
function createWriteColumns(texts: readonly string[]) {
  return {
    n: { field: 'n', kind: 'number' },
    record: {
      field: 'label',
      title: 'record',
      show: ({ label, target }) => label ?? target,
      least: 20,
      drop: 1,
    },
    label: { field: 'label', title: 'record', sparse: true, drop: 2 },
    operation: { field: 'operation', drop: 3 },
    target: { field: 'target' },
    status: { field: 'status', kind: 'state' },
    at: { field: 'at', title: 'when', kind: 'time', drop: 1 },
    change: {
      field: 'change',
      derived: true,
      show: ({ n }) => texts[Number(n) - 1] ?? '',
      kind: 'text',
      wrap: true,
    },
    message: { field: 'message', sparse: true },
  } as const satisfies Record<string, Column>;
}

async function showWrites({ output }: Run, rows: readonly Row[], columns: readonly Column[]): Promise<void> {
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await output.list(pages(), { noun: 'changes', columns, id: 'target' });
}

/** What a write of a run changes, as its request says it; empty where that was not stored. */
async function describeStoredWrite({ head }: WholeRun, row: StoredWrite): Promise<string> {
  const meaning = row.request === null ? undefined : parseStoredRequest(row.request, head);
  if (row.request === null || meaning === undefined) return '';
  const said = await describeWrite(meaning, row.before ?? row.seen);
  return describePlanRow({ ...row, ...said, request: row.request, values: meaning.values });
}
