import { toWord } from '../api/fields.ts';
import { findOperation } from '../api/operations.ts';
import { type Row, toPages } from '../api/page.ts';
import { isSameJson, stringifyJson } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { escapeMarkdown } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { formatUnset } from './accepted.ts';
import { getFields, sortGraveFirst } from './describe-change.ts';
import { formatJobFacts } from './jobs.ts';
import type { PlannedWrite, StepName } from './journal.ts';
import { parseStoredRequest } from './log.ts';
import { describeWrite, type Plan, type PlanRow } from './plan.ts';
import { pluralize } from './report.ts';
import { RunStore, requireRun } from './store.ts';

/** How a file of writes is shown: a plan for people to judge, offline, and a run with what has become of it. */

/** A text that cannot be taken for anything else stands as it is; all others in quotes. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}@._-]*(?: [\p{L}\p{N}@._-]+)*$/u;

/** All that a request does, the grave first: `role: Regular User → Team manager, hours a week: 40 → 32`. */
export function describePlanRow(row: PlanRow): string {
  const { operation, before, after, others, request, isDeletion } = row;
  const fields = getFields(operation);
  const { parameters = {}, path = '' } = findOperation(operation) ?? {};
  const describeField = (field: string): string => {
    const { title = formatName(field), words } = fields[field] ?? {};
    const format = (value: unknown): string =>
      formatExact(words !== undefined && typeof value === 'number' ? toWord(words, value) : value);
    const value = after?.[field];
    // The word for a number could be sent as it is, too.
    const now = words !== undefined && typeof value === 'string' ? stringifyJson(value) : format(value);
    if (before === null || !Object.hasOwn(before, field)) return `${title}: ${now}`;
    return isSameJson(before[field], value)
      ? `${title}: ${now} (unchanged)`
      : `${title}: ${format(before[field])} → ${now}`;
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
  const undos = rows.map(({ operation }) => findOperation(operation)?.undo);
  const reasons = countBy(undos.flatMap((undo) => (undo?.kind === 'none' ? [undo.why] : [])));
  for (const [why, number] of reasons) warnings.push(`${count(number)} cannot be undone: ${why}.`);
  return warnings;
}

export function countOperations(ids: readonly string[]): string {
  return [...countBy(ids)].map(([id, number]) => `${number} ${id}`).join(', ');
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
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
  const { n, record, operation, target, change } = createWriteColumns(rows.map(describePlanRow));
  // Of what does not fit, the recorded name goes first: who is meant is what the request names.
  const columns = [n, record, operation, target, change];
  await output.list(toPages(records), { noun: 'changes', columns, id: 'target' });
}

/** What is true of a plan as a whole: a line each, in Markdown its warnings too. */
export function formatPlanHead(plan: Plan, isMarkdown: boolean): string {
  const { head, rows } = plan;
  const { command, created_at, account, base_url, workspace_id } = head;
  const facts = [
    ['command', command],
    ['made', account === null ? created_at : `${created_at} by ${account}`],
    ['service', base_url],
    ['workspace', `${workspace_id ?? 'none'}`],
    ['changes', countOperations(rows.map(({ operation }) => operation)) || 'none'],
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
    // What a write changes, as its request says it; empty where that was not stored.
    const { request, before, seen } = row;
    const meaning = request && parseStoredRequest(request);
    const said = meaning && { ...(await describeWrite(meaning, before ?? seen)), values: meaning.values };
    texts.push(request && said ? describePlanRow({ ...row, ...said, request }) : '');
  }
  const { label, operation, target, status, at, change, message } = createWriteColumns(texts);
  const columns = [target, status, label, operation, at, change, message];
  await context.output.list(toPages(rows), { noun: 'changes', columns, id: 'target' });
}

const ENDS: Readonly<Partial<Record<StepName, StepName>>> = { planned: 'skipped', sending: 'unknown' };

function toRecord(write: PlannedWrite, state: Pick<Row, 'status' | 'at' | 'message' | 'error'>): Row {
  const { n, operation, target, label, before, after, request, seen } = write;
  return { n, operation, target, label, before, after, ...state, request, seen };
}

/** @param texts what each write changes, by its number */
function createWriteColumns(texts: readonly string[]) {
  const show: Column['show'] = ({ label, target }) => label ?? target;
  const showChange: Column['show'] = ({ n }) => texts[Number(n) - 1] ?? '';
  return {
    n: { field: 'n', kind: 'number' },
    record: { field: 'label', title: 'record', show, least: 20, drop: 1 },
    label: { field: 'label', title: 'record', sparse: true, drop: 2 },
    operation: { field: 'operation', drop: 3 },
    target: { field: 'target' },
    status: { field: 'status', kind: 'state' },
    at: { field: 'at', title: 'when', kind: 'time', drop: 1 },
    change: { field: 'change', derived: true, show: showChange, kind: 'text', wrap: true },
    message: { field: 'message', sparse: true },
  } as const satisfies Record<string, Column>;
}
