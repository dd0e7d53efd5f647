import type { Fields } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { findRecordFacts, WEBHOOK_EVENTS } from '../api/records.ts';
import { toText } from '../json.ts';
import type { WordStyle } from '../output/cell.ts';
import type { Column } from '../output/list-view.ts';
import type { Output } from '../output/output.ts';
import type { Result } from '../output/results.ts';
import { findNearest } from '../parsing/text.ts';
import { createColumns } from '../resources/columns.ts';
import { listSentFields } from '../resources/proof.ts';
import { findReconciler, loadRecordWords } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import type { Change } from './change.ts';

/** A change in words: of which record, from what to what. */

/** What a write changes: `hours a week: 40 → 32, role: Regular User → Team manager`; `''` where that is not known. */
export async function describeEffect(
  output: Pick<Output, 'inWords'>,
  { operation, before = {}, after }: Pick<Result, 'operation' | 'before' | 'after'>,
): Promise<string> {
  if (after === null) return 'will be deleted';
  const names = sortGraveFirst(Object.keys(after ?? {}));
  const columns = names.map((name) => createColumns(getFields(operation))(name));
  const [was = [], will = []] = await output.inWords([before, after ?? {}], columns);
  const describeField = ({ field, title }: Column, i: number): string => {
    const now = will[i] || '–';
    const text = Object.hasOwn(before, field) ? `${was[i] || '–'} → ${now}` : now;
    return `${title ?? nameField(field)}: ${text}`;
  };
  return columns.map(describeField).join(', ');
}

/** What a write changed, or what has changed since, in words: `hours a week: 40 → 32`. */
export function createChangeColumn({ output }: Pick<Run, 'output'>): Column {
  const texts = new Map<Row, string>();
  return {
    field: 'change',
    derived: true,
    load: async (rows) => {
      for (const row of rows) {
        const { operation, before, after } = row as Row & Parameters<typeof describeEffect>[1];
        const was = before === null ? {} : { before };
        if (before !== null || after !== null)
          texts.set(row, await describeEffect(output, { operation, after, ...was }));
      }
    },
    show: (row) => texts.get(row) ?? '',
    least: 20,
    wrap: true,
  };
}

function nameField(field: string): string {
  return field.replaceAll('_', ' ');
}

export function getFields(operation: string): Fields {
  return findRecordFacts(operation.split('.')[0] ?? '')?.fields ?? {};
}

/** Stand for fields: what becomes of the whole record. */
const [DELETION, ARCHIVAL] = ['deletion', 'archiving'] as const;

/** Whoever agrees must not overlook these: what is gone, who somebody is, what is paid. By parameters and by fields. */
const GRAVE = [
  ...[DELETION, ARCHIVAL, 'deleted_at'],
  ...['role', 'current_role', 'email', 'rate', 'rate_type', 'rate_status'],
];

function rankField(field: string): number {
  const at = GRAVE.indexOf(field);
  return at < 0 ? GRAVE.length : at;
}

/** The order of fields wherever a change is told: the grave first, the others as they come. */
export function sortGraveFirst(fields: readonly string[]): readonly string[] {
  return [...fields].sort((a, b) => rankField(a) - rankField(b));
}

/** Changes for a question: those of grave fields first, and how many change which field: `role 1, hours a week 59`. */
export async function rankChanges(
  changes: readonly Change[],
): Promise<{ readonly order: readonly Change[]; readonly fields: string }> {
  const fields = new Map<string, { readonly title: string; count: number }>();
  const ranks = new Map<Change, number>();
  for (const change of changes) {
    const changed = await listChangedFields(change);
    ranks.set(change, rankField(sortGraveFirst(changed)[0] ?? ''));
    for (const name of changed) {
      const title = getFields(change.call.operation.id)[name]?.title ?? nameField(name);
      fields.set(name, { title, count: (fields.get(name)?.count ?? 0) + 1 });
    }
  }
  const order = [...changes].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  const counts = sortGraveFirst([...fields.keys()]).map((name) => fields.get(name));
  return { order, fields: counts.map((one) => `${one?.title} ${one?.count}`).join(', ') };
}

/** The fields of its record that a write changes, by the record's names; none of a new one. */
async function listChangedFields({ call, before }: Change): Promise<readonly string[]> {
  const { operation, values } = call;
  const record = (await findReconciler(operation))?.record;
  if (record === undefined) return [];
  const { after } = await record.effect(before ?? {}, values);
  if (after === null) return [DELETION];
  if (operation.method === 'DELETE' && /^\/[\w-]+\/\{\w+\}$/.test(operation.path)) return [ARCHIVAL];
  const { shownAs = {} } = findRecordFacts(operation.noun) ?? {};
  return listSentFields(operation, values)
    .map(([name]) => shownAs[name] ?? name)
    .filter((field) => Object.hasOwn(after, field));
}

/** Which record it is, in a few words; undefined where none are known. @param load whether names are fetched for it */
export async function describeRecord(
  { output, names }: Pick<Run, 'output' | 'names'>,
  { call, target, labelColumns }: Pick<Change, 'call' | 'target' | 'labelColumns'>,
  record: Row,
  { load = true, style }: { readonly load?: boolean; readonly style?: WordStyle } = {},
): Promise<string | undefined> {
  const known = labelColumns ?? (await loadRecordWords(call.operation.noun, names));
  const columns = load ? known : known.filter((column) => column.load === undefined);
  const [words = []] = await output.inWords([record], columns, style);
  return getLabel({ target, id: toText(record['id'] ?? ''), words });
}

export interface Selected {
  readonly target: string;
  readonly id: string;
  readonly before?: Row | undefined;
  readonly words: readonly string[];
  readonly columns?: readonly Column[] | undefined;
}

export function getLabel({ target, id, words }: Selected): string | undefined {
  const rest = words.filter((word) => word !== target && word !== id && word !== '').join('  ');
  return rest === '' ? undefined : rest;
}

/** What a write changes, or time does: what a record was before must not pass for what it is. */
const CHANGING: ReadonlySet<unknown> = new Set(['state', 'age', 'list', 'status', 'created_at']);

export function isLasting({ field, kind }: Column): boolean {
  return !CHANGING.has(kind) && !CHANGING.has(field);
}

/** Hours of a week. */
const HOURS_PER_WEEK = 168;

/** By field: what the service takes, though it is most likely a slip: 400 for 40 hours, a mistyped event. */
export const ODD_VALUES: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  weekly_hours_limit: (limit) =>
    typeof limit === 'number' && limit > HOURS_PER_WEEK
      ? [`a weekly limit of ${limit} hours has no effect: a week has ${HOURS_PER_WEEK}`]
      : [],
  events(events) {
    const known: readonly string[] = WEBHOOK_EVENTS;
    const unknown = (Array.isArray(events) ? events : []).filter((event) => !known.includes(event));
    return unknown.map((event) => {
      const nearest = findNearest(event, known);
      const advice = nearest ? `Did you mean ${nearest}?` : `Known events: ${known.join(', ')}`;
      return `${event} is not a documented event. ${advice}`;
    });
  },
};
