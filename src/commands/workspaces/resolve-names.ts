import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toReference } from '../../changes/references.ts';
import { toNumber } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';
import { toText } from '../../json/stringify.ts';
import { quoteText } from '../../outcome.ts';
import { formatPersonName } from '../../resources/kinds.ts';
import { normalizeText } from '../../resources/reconcile/reconciler.ts';
import type { FolderSheet } from './read-rows.ts';
import type { FolderNoun, NamedNoun, WorkspaceRecords } from './records.ts';

/** Names in files to ids: of records that are there, and of those that the same files make. */

export interface ResolvedName {
  /** An id, or what stands for the id of a record that will be made. */
  readonly id?: string;
  readonly problem?: string;
}

export interface NameIndex {
  find(noun: NamedNoun, text: string): ResolvedName;
}

const listNames = (noun: FolderNoun, row: Row): readonly string[] =>
  noun === 'projects'
    ? [toText(row['name'] ?? '')]
    : [toText(row['email'] ?? ''), formatPersonName(row) ?? ''];

/** What a row is called by those that refer to it. */
const getWrittenName = (noun: FolderNoun, texts: Readonly<Record<string, string>>): string =>
  (noun === 'projects' ? texts['name'] : texts['email'])?.trim() ?? '';

const indexNoun = (noun: NamedNoun, records: readonly Row[], sheets: readonly FolderSheet[]) => {
  const ids = new Set(records.map(({ id }) => toText(id)));
  const byName = new Map<string, Set<string>>();
  const made = new Map<string, string>();
  const addName = (name: string, id: string): void => {
    const key = normalizeText(name);
    if (key !== '') byName.set(key, (byName.get(key) ?? new Set()).add(id));
  };
  for (const row of records) for (const name of listNames(noun, row)) addName(name, toText(row['id']));
  for (const { id, texts } of sheets.flatMap((sheet) => (sheet.noun === noun ? sheet.rows : []))) {
    const name = getWrittenName(noun, texts);
    if (id === undefined) made.set(normalizeText(name), name);
    // What is renamed by the same files has its new name too.
    else if (ids.has(id)) addName(name, id);
  }
  return (text: string): ResolvedName => {
    const written = text.trim();
    if (ids.has(written)) return { id: written };
    const found = [...(byName.get(normalizeText(written)) ?? [])];
    if (found.length > 1)
      return { problem: `${quoteText(written)} is the name of ${found.length} ${noun}: ${found.join(', ')}` };
    const name = made.get(normalizeText(written));
    const id = found[0] ?? (name === undefined ? undefined : toReference(name));
    return id === undefined ? { problem: `no ${noun.slice(0, -1)} ${quoteText(written)}` } : { id };
  };
};

export const createNameIndex = (
  { projects, members }: WorkspaceRecords,
  sheets: readonly FolderSheet[],
): NameIndex => {
  const finders = {
    projects: indexNoun('projects', projects, sheets),
    members: indexNoun('members', members, sheets),
  };
  return { find: (noun, text) => finders[noun](text) };
};

/** The parameters whose values are ids, and of what. */
export const LINKS = {
  project_id: 'projects',
  user_id: 'members',
  assignees: 'members',
  projects: 'projects',
} as const satisfies Readonly<Record<string, NamedNoun>>;

/** An id as a request carries it. */
export const toIdValue = (id: string): unknown => (/^\d+$/.test(id) ? toNumber(id) : id);

/** The items of a cell: ids or names with commas between them, or JSON; undefined for a cell that leaves them alone. */
export const splitItems = (text: string): readonly string[] | undefined => {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (trimmed.toLowerCase() === 'none') return [];
  const parsed = trimmed.startsWith('[') ? parseJson(trimmed) : undefined;
  if (parsed !== undefined && 'value' in parsed && Array.isArray(parsed.value))
    return parsed.value.map(toText);
  return trimmed.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
};

/** @param onProblem told of a name that cannot be resolved, with its column */
export const resolveLinks = (values: Values, index: NameIndex, onProblem: (text: string) => void): Values => {
  const resolve = (name: keyof typeof LINKS, text: unknown): unknown => {
    const { id, problem } = index.find(LINKS[name], toText(text));
    if (problem !== undefined) onProblem(`${name}: ${problem}`);
    return id === undefined ? text : toIdValue(id);
  };
  const names = (Object.keys(LINKS) as (keyof typeof LINKS)[]).filter((name) => values[name] !== undefined);
  const resolved = names.map((name) => {
    const value = values[name];
    return [name, Array.isArray(value) ? value.map((one) => resolve(name, one)) : resolve(name, value)];
  });
  return { ...values, ...Object.fromEntries(resolved) };
};
