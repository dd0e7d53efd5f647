import { type Fields, toWord } from '../api/fields.ts';
import { nounOf, type Parameter } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import { findRecordFacts } from '../api/records.ts';
import { isRecord, toText } from '../json.ts';
import type { WordStyle } from '../output/cell.ts';
import type { Column } from '../output/list-view.ts';
import type { Output } from '../output/output.ts';
import type { Result } from '../output/results.ts';
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

/** What a write sends: `weekly hours limit 32, deadline Dec 24`: its days and numbers as tables have them. */
export async function describeChange(
  output: Pick<Output, 'inWords'>,
  { call, after }: Pick<Change, 'call' | 'after'>,
): Promise<string> {
  const isTold = (value: unknown): boolean => value !== undefined && value !== null && !isRecord(value);
  const names = sortGraveFirst(Object.keys(after)).filter((name) => isTold(after[name]));
  const columns = names.map((field): Column => {
    const { type, words, unit }: Partial<Parameter> = call.operation.parameters[field] ?? {};
    const kind = unit ?? (type === 'date' ? 'date' : type === 'datetime' ? 'time' : undefined);
    return {
      field,
      ...(kind && { kind }),
      ...(words && { show: (row) => toWord(words, row[field]) }),
    };
  });
  const [words = []] = await output.inWords([after], columns);
  return names.map((name, i) => `${nameField(name)} ${words[i]}`).join(', ');
}

function nameField(field: string): string {
  return field.replaceAll('_', ' ');
}

export function getFields(operation: string): Fields {
  return findRecordFacts(nounOf({ id: operation }))?.fields ?? {};
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
  const counts = new Map<string, number>();
  const titles = new Map<string, string>();
  const ranked: { readonly change: Change; readonly rank: number }[] = [];
  for (const change of changes) {
    const fields = await listChangedFields(change);
    for (const field of fields) {
      counts.set(field, (counts.get(field) ?? 0) + 1);
      titles.set(field, getFields(change.call.operation.id)[field]?.title ?? nameField(field));
    }
    ranked.push({ change, rank: rankField(sortGraveFirst(fields)[0] ?? '') });
  }
  ranked.sort((a, b) => a.rank - b.rank);
  const fields = sortGraveFirst([...counts.keys()]).map((name) => `${titles.get(name)} ${counts.get(name)}`);
  return { order: ranked.map(({ change }) => change), fields: fields.join(', ') };
}

/** The fields of its record that a write changes, by the record's names; none of a new one. */
async function listChangedFields({ call, before }: Change): Promise<readonly string[]> {
  const { operation, values } = call;
  const record = (await findReconciler(operation))?.record;
  if (record === undefined) return [];
  const { after } = await record.effect(before ?? {}, values);
  if (after === null) return [DELETION];
  if (operation.method === 'DELETE' && /^\/[\w-]+\/\{\w+\}$/.test(operation.path)) return [ARCHIVAL];
  const { shownAs = {} } = findRecordFacts(nounOf(operation)) ?? {};
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
  const known = labelColumns ?? (await loadRecordWords(nounOf(call.operation), names));
  const columns = load ? known : known.filter((column) => column.load === undefined);
  const [words = []] = await output.inWords([record], columns, style);
  return getLabel({ target, id: toText(record['id'] ?? ''), words });
}

/** A record that was chosen, in words. */
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
