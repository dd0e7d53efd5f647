import { formatPersonName, isArchived, type RecordFacts, toWord } from '../../api/fields.ts';
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

export type WorkspaceRecords = Readonly<Record<FolderNoun, readonly Row[]>>;

/** The columns with ids, and of what. */
export const LINKS: Readonly<Record<string, 'projects' | 'members'>> = {
  project_id: 'projects',
  user_id: 'members',
  projects: 'projects',
  assignees: 'members',
};

/** What stands beside ids, for people. */
export const NAMES = { projects: 'project.name', members: 'member.email' } as const;

export interface FolderFile {
  readonly noun: FolderNoun;
  readonly resource: RecordFacts;
  /** What can be set, as the API names it. */
  readonly columns: readonly string[];
  /** The columns that tell which record a row without an id is about. */
  readonly alike: readonly string[];
  /** Columns that a creation cannot set. */
  readonly later?: readonly string[];
  /** The column of what is assigned to a record, one by one. */
  readonly assigned?: string;
  /** Columns that cannot be set any more once the record is there. */
  readonly fixed?: readonly string[];
}

/** In the order in which their records depend on one another. */
export const FOLDER_FILES: readonly FolderFile[] = [
  {
    noun: 'projects',
    resource: project,
    columns: ['name', 'start_date', 'deadline', 'estimation', 'budget', 'notes', 'icon'],
    alike: ['name'],
  },
  {
    noun: 'members',
    resource: member,
    columns: ['email', 'firstname', 'lastname', 'role', 'timezone', 'rate_status', 'weekly_hours_limit'],
    alike: ['email'],
    later: ['timezone', 'rate_status', 'weekly_hours_limit'],
  },
  {
    noun: 'viewers',
    resource: viewer,
    columns: ['email', 'firstname', 'lastname', 'projects'],
    alike: ['email'],
    later: ['projects'],
    assigned: 'projects',
    fixed: ['email', 'firstname', 'lastname'],
  },
  {
    noun: 'contracts',
    resource: contract,
    columns: ['project_id', 'user_id', 'weekly_hours_limit', 'screenshots', 'rate', 'status'],
    alike: ['project_id', 'user_id'],
    later: ['status'],
    fixed: ['project_id', 'user_id'],
  },
  {
    noun: 'tasks',
    resource: task,
    columns: [
      ...['project_id', 'title', 'description', 'status', 'priority', 'start_date', 'end_date', 'assignees'],
    ],
    alike: ['title', 'project_id'],
    assigned: 'assignees',
    fixed: ['project_id'],
  },
  { noun: 'webhooks', resource: webhook, columns: ['url', 'events'], alike: ['url', 'events'] },
];

export function getCreation(noun: FolderNoun): 'invite' | 'create' {
  return noun === 'members' || noun === 'viewers' ? 'invite' : 'create';
}

export function placeFile(folder: string, noun: FolderNoun): string {
  return `${folder.replace(/(?<=.)[/\\]+$/, '')}/${noun}.csv`;
}

export function listHeadings({ columns }: FolderFile): readonly string[] {
  return ['id', ...columns.flatMap((name) => (LINKS[name] ? [name, NAMES[LINKS[name]]] : [name]))];
}

/** Headings of a file that are none of its own. */
export function listUnknownHeadings(file: FolderFile, text: string): readonly string[] {
  const [heading = ''] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1);
  const names = heading.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  return names.filter((name) => !listHeadings(file).includes(name));
}

/** What ids are called, and what names mean: projects by their name, members by their e-mail address, or their own. */
export class Links {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, Set<string>>();
  readonly #expected = new Set<string>();

  constructor({ projects, members }: WorkspaceRecords) {
    for (const { id, name } of projects) this.#add('projects', id, name);
    for (const row of members) this.#add('members', row['id'], row['email'], formatPersonName(row));
    // An id is one, whatever is called so.
    for (const key of this.#names.keys()) this.#ids.set(key, new Set([key.slice(key.indexOf(' ') + 1)]));
  }

  /** Names what is not there yet. */
  expect(noun: FolderNoun, name: string): void {
    this.#expected.add(`${noun} ${normalizeText(name)}`);
  }

  /** The name of an id; `''` where it is not known. */
  name(noun: 'projects' | 'members', id: string): string {
    return this.#names.get(`${noun} ${id}`) ?? '';
  }

  /** The id that a name or an id means; undefined for what is still to come. */
  find(noun: 'projects' | 'members', text: string, onProblem: (what: string) => void): string | undefined {
    const key = `${noun} ${normalizeText(text)}`;
    const [id, ...others] = this.#ids.get(key) ?? [];
    if (others.length > 0)
      onProblem(`${quoteText(text)} is the name of several ${noun}: ${[id, ...others].join(', ')}`);
    else if (id === undefined && !this.#expected.has(key))
      onProblem(`no ${noun.slice(0, -1)} ${quoteText(text)}`);
    return id;
  }

  #add(noun: string, id: unknown, ...names: readonly unknown[]): void {
    this.#names.set(`${noun} ${toText(id)}`, toText(names[0] ?? ''));
    for (const name of names) {
      const key = `${noun} ${normalizeText(name ?? '')}`;
      this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(toText(id)));
    }
  }
}

/** A record as its file has it: numbers in one form (`40`, not `"40.00"`), the service's numbers as words. */
export function toCells(
  { noun, resource, columns }: FolderFile,
  record: Row,
  names: Links,
): Record<string, string> {
  const cells: Record<string, string> = { id: toText(record['id'] ?? '') };
  for (const name of columns) {
    const links = LINKS[name];
    const ids = links === undefined ? [] : listIds(record, name);
    if (links !== undefined) cells[NAMES[links]] = ids.map((id) => names.name(links, id)).join(',');
    cells[name] = links === undefined ? formatField(resource, record, name) : ids.join(',');
  }
  // A rate that is the member's or the project's is none of the contract.
  if (noun === 'contracts' && !hasOwnRate(record)) cells['rate'] = '';
  // Tokens stay at the service, and so do addresses with secrets in them: an empty cell changes nothing.
  if (noun === 'webhooks' && hasSecretAddress(record)) cells['url'] = '';
  return cells;
}

/** Of a webhook. */
export function hasSecretAddress({ url }: Row): boolean {
  return maskAddress(toText(url ?? '')) !== toText(url ?? '');
}

/** Ids that a record has in a field: one, or several, bare or in records. */
export function listIds(record: Row, column: string): readonly string[] {
  const key = LINKS[column] === 'members' ? 'user_id' : 'project_id';
  const items = [record[column] ?? []].flat();
  const ids = items.map((item) => toText(isRecord(item) ? (item[key] ?? item['id']) : item));
  return [...new Set(ids)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function formatField({ fields, shownAs }: RecordFacts, record: Row, name: string): string {
  const field = shownAs?.[name] ?? name;
  const { words, type } = fields[field] ?? {};
  const value = words === undefined ? record[field] : toWord(words, record[field]);
  const number = type === 'number' || type === 'integer' ? toNumber(value) : Number.NaN;
  if (Array.isArray(value)) return value.map(toText).join(',');
  return Number.isNaN(number) ? toText(value ?? '') : String(number);
}

/** An id as a request carries it. */
export function toIdValue(id: string): unknown {
  return /^\d+$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** The items of a cell: ids or names with commas between them, or a list; `none` says that there are none. */
export function splitItems(cell: unknown): string[] {
  if (Array.isArray(cell)) return cell.map(toText);
  const items = toText(cell ?? '').split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '' && item.toLowerCase() !== 'none');
}

/** All records that are not archived, by their ids. @throws as a read: half a workspace is none */
export async function loadRecords({ api, lists }: Run): Promise<WorkspaceRecords> {
  const read = async (call: Parameters<typeof lists.rows>[0]): Promise<readonly Row[]> =>
    (await lists.rows(call)).filter((row) => !isArchived(row)).sort(compareIds);
  const [members, viewers, projects, contracts, webhooks] = await Promise.all([
    read(api.members.list({})),
    read(api.viewers.list({})),
    read(api.projects.list({})),
    read(api.contracts.list({})),
    read(api.webhooks.list({})),
  ]);
  // A list is of one project, so that its rows need not say which.
  const readTasks = async ({ id }: Row): Promise<readonly Row[]> =>
    (await read(api.tasks.list({ project_id: toNumber(id) }))).map((row) => ({ project_id: id, ...row }));
  return {
    projects,
    members: members.filter(({ current_role: role }) => role !== PROJECT_VIEWER),
    viewers: viewers.filter((row) => !hasLeft(row)),
    contracts,
    tasks: (await Promise.all(projects.map(readTasks))).flat().sort(compareIds),
    webhooks,
  };
}

/** What numbers mean as numbers, and other ids as texts. */
function compareIds({ id: one }: Row, { id: other }: Row): number {
  const [a, b] = [toText(one), toText(other)];
  const areNumbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  if (areNumbers && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}
