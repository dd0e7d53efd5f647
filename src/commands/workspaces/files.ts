import { formatPersonName, isArchived, type RecordFacts, toWord } from '../../api/fields.ts';
import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import {
  contract,
  hasLeft,
  hasOwnRate,
  member,
  PROJECT_VIEWER,
  project,
  task,
  viewer,
  webhook,
} from '../../api/records.ts';
import { maskAddress } from '../../http/redact.ts';
import { isRecord, toNumber, toText } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import { normalizeText } from '../../resources/proof.ts';
import type { Run } from '../../run.ts';

/**
 * The files of a workspace's folder, and the records that they are about: what can be set of a record, and the names of
 * what it belongs to beside their ids. No times, and nothing that the service computes: a file changes only where
 * somebody changed something.
 */

export type FolderNoun = 'projects' | 'members' | 'viewers' | 'contracts' | 'tasks' | 'webhooks';

type LinkedNoun = 'projects' | 'members';

export const LINKS: Readonly<Record<string, LinkedNoun>> = {
  project_id: 'projects',
  user_id: 'members',
  projects: 'projects',
  assignees: 'members',
};

/** What stands beside ids, for people. */
export const NAMES = { projects: 'project.name', members: 'member.email' } as const;

export type FolderFile = ReturnType<typeof describeFile>;

/** In the order in which their records depend on one another. */
export const FOLDER_FILES: readonly FolderFile[] = [
  describeFile('projects', project, ['name']),
  describeFile('members', member, ['email']),
  describeFile('viewers', viewer, ['email'], 'projects'),
  describeFile('contracts', contract, ['project_id', 'user_id']),
  describeFile('tasks', task, ['title', 'project_id'], 'assignees'),
  describeFile('webhooks', webhook, ['url', 'events']),
];

/**
 * What of its records stands in a file: all that can be set when one is made, or later.
 * @param alike columns that tell which record a row without an id is about
 * @param assigned the column of what is assigned to a record, one by one
 */
function describeFile(noun: FolderNoun, resource: RecordFacts, alike: readonly string[], assigned?: string) {
  const { create, invite = create, update }: Readonly<Record<string, Operation>> = operations[noun];
  const [creatable = [], changeable = []] = [invite, update].map((operation) =>
    Object.entries(operation?.parameters ?? {}).flatMap(([name, { on }]) => (on === undefined ? [name] : [])),
  );
  const columns = [...new Set([...creatable, ...changeable, ...(assigned === undefined ? [] : [assigned])])];
  // Where a record belongs is settled when it is made.
  const fixed = new Set(['project_id', 'user_id', assigned]);
  const settable = changeable.filter((name) => !fixed.has(name));
  return { noun, resource, columns, alike, assigned, creation: invite, creatable, update, settable };
}

export function placeFile(folder: string, noun: FolderNoun): string {
  return `${folder.replace(/(?<=.)[/\\]+$/, '')}/${noun}.csv`;
}

export function listHeadings({ columns }: FolderFile): readonly string[] {
  return ['id', ...columns.flatMap((name) => (LINKS[name] ? [name, NAMES[LINKS[name]]] : [name]))];
}

export function listUnknownHeadings(file: FolderFile, text: string): readonly string[] {
  const [heading = ''] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1);
  const names = heading.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  const known = new Set(listHeadings(file));
  return names.filter((name) => !known.has(name));
}

/** What ids are called, and what names mean: projects by their name, members by their e-mail address, or their own. */
export class Links {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();

  constructor({ projects, members }: WorkspaceRecords) {
    for (const { id, name } of projects) this.add('projects', [name], toText(id));
    for (const row of members) this.add('members', [row['email'], formatPersonName(row)], toText(row['id']));
  }

  /** @param id absent: it is not there yet */
  add(noun: FolderNoun, names: readonly unknown[], id?: string): void {
    if (id !== undefined) this.#names.set(`${noun} ${id}`, toText(names[0] ?? ''));
    for (const name of names) {
      const key = `${noun} ${normalizeText(name ?? '')}`;
      const ids = this.#ids.get(key) ?? new Set();
      this.#ids.set(key, id === undefined ? ids : ids.add(id));
    }
  }

  /** The name of an id; `''` where it is not known. */
  name(noun: LinkedNoun, id: string): string {
    return this.#names.get(`${noun} ${id}`) ?? '';
  }

  /** The id that a name or an id means; undefined for what is still to come. */
  find(noun: LinkedNoun, text: string, onProblem: (what: string) => void): string | undefined {
    // An id is one, whatever is called so.
    if (this.#names.has(`${noun} ${text.trim()}`)) return text.trim();
    const found = this.#ids.get(`${noun} ${normalizeText(text)}`);
    const ids = [...(found ?? [])];
    if (found === undefined) onProblem(`no ${noun.slice(0, -1)} ${quoteText(text)}`);
    if (ids.length > 1) onProblem(`${quoteText(text)} is the name of several ${noun}: ${ids.join(', ')}`);
    return ids[0];
  }
}

/** A record as its file has it: numbers in one form (`40`, not `"40.00"`), the service's numbers as words. */
export function toCells(
  { noun, resource: { fields, shownAs }, columns }: FolderFile,
  record: Row,
  names: Links,
): Record<string, string> {
  const cells: Record<string, string> = { id: toText(record['id'] ?? '') };
  for (const name of columns) {
    const links = LINKS[name];
    if (links !== undefined) {
      const ids = listIds(record, name);
      cells[NAMES[links]] = ids.map((id) => names.name(links, id)).join(',');
      cells[name] = ids.join(',');
      continue;
    }
    const field = shownAs?.[name] ?? name;
    const { words, type } = fields[field] ?? {};
    const value = words === undefined ? record[field] : toWord(words, record[field]);
    const number = type === 'number' || type === 'integer' ? toNumber(value) : Number.NaN;
    const text = [value ?? ''].flat().map(toText).join(',');
    cells[name] = Number.isNaN(number) ? text : String(number);
  }
  // A rate that is the member's or the project's is none of the contract.
  if (noun === 'contracts' && !hasOwnRate(record)) cells['rate'] = '';
  // Tokens stay at the service, and so do addresses with secrets in them: an empty cell changes nothing.
  const { url = '' } = cells;
  if (noun === 'webhooks' && maskAddress(url) !== url) cells['url'] = '';
  return cells;
}

/** Ids that a record has in a field: one, or several, bare or in records. */
export function listIds(record: Row, column: string): readonly string[] {
  const key = LINKS[column] === 'members' ? 'user_id' : 'project_id';
  const items = [record[column] ?? []].flat();
  const ids = items.map((item) => toText(isRecord(item) ? (item[key] ?? item['id']) : item));
  return [...new Set(ids)].sort(compareIds);
}

/** Those that are numbers as numbers. */
function compareIds(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

export function toIdValue(id: string): unknown {
  return /^\d+$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** The items of a cell: ids or names with commas between them, or a list; `none` says that there are none. */
export function splitItems(cell: unknown): string[] {
  if (Array.isArray(cell)) return cell.map(toText);
  const items = toText(cell ?? '').split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '' && item.toLowerCase() !== 'none');
}

export type WorkspaceRecords = Readonly<Record<FolderNoun, readonly Row[]>>;

/** All records that are not archived, by their ids. @throws as a read: half a workspace is none */
export async function loadRecords({ api, lists }: Run): Promise<WorkspaceRecords> {
  const sort = (rows: readonly Row[]): readonly Row[] =>
    rows.toSorted((one, other) => compareIds(toText(one['id']), toText(other['id'])));
  const read = async (call: Parameters<typeof lists.rows>[0]): Promise<readonly Row[]> =>
    sort((await lists.rows(call)).filter((row) => !isArchived(row)));
  const nouns = ['members', 'viewers', 'projects', 'contracts', 'webhooks'] as const;
  const all = nouns.map((noun) => read(api[noun].list({})));
  const [members = [], viewers = [], projects = [], contracts = [], webhooks = []] = await Promise.all(all);
  // A list is of one project, so that its rows need not say which.
  const readTasks = async ({ id }: Row): Promise<readonly Row[]> =>
    (await read(api.tasks.list({ project_id: toNumber(id) }))).map((row) => ({ project_id: id, ...row }));
  return {
    projects,
    members: members.filter(({ current_role: role }) => role !== PROJECT_VIEWER),
    viewers: viewers.filter((row) => !hasLeft(row)),
    contracts,
    tasks: sort((await Promise.all(projects.map(readTasks))).flat()),
    webhooks,
  };
}
