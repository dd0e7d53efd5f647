import { isArchived, type RecordFacts, toWord } from '../../api/fields.ts';
import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { NO_EXTRA, type Values } from '../../api/plan.ts';
import * as records from '../../api/records.ts';
import { findMisread, openRowSchema } from '../../changes/input/columns.ts';
import { readRows, resolveRowValues } from '../../changes/input/file.ts';
import { findText, RowProblems } from '../../changes/input/files.ts';
import { isShown } from '../../changes/input/select-rows.ts';
import { listCommands, type Program } from '../../cli/command.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { maskAddress } from '../../http/redact.ts';
import { isRecord, toNumber, toText } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import { normalizeText } from '../../resources/proof.ts';
import type { Run } from '../../run.ts';

/**
 * The files of a workspace's folder beside the records of the service. A file has what can be set of a record, and the
 * names of what it belongs to beside their ids: no times, and nothing that the service computes, so that it changes only
 * where somebody changed something.
 */

type FolderNoun = 'projects' | 'members' | 'viewers' | 'contracts' | 'tasks' | 'webhooks';
type LinkedNoun = 'projects' | 'members';

export const LINKS: Readonly<Record<string, LinkedNoun>> = {
  project_id: 'projects',
  user_id: 'members',
  projects: 'projects',
  assignees: 'members',
};

const NAMES = { projects: 'project.name', members: 'member.email' } as const;

/** A file: its columns, how its records are made and changed, and `alike`, by which a row without an id finds its record. */
export type FolderFile = ReturnType<typeof describeFile>;

/** In the order in which their records depend on one another. */
export const FOLDER_FILES: readonly FolderFile[] = [
  describeFile('projects', records.project, ['name']),
  describeFile('members', records.member, ['email']),
  describeFile('viewers', records.viewer, ['email'], 'projects'),
  describeFile('contracts', records.contract, ['project_id', 'user_id']),
  describeFile('tasks', records.task, ['title', 'project_id'], 'assignees'),
  describeFile('webhooks', records.webhook, ['url', 'events']),
];

/** @param assigned the column of what is assigned to a record, one by one */
function describeFile(noun: FolderNoun, resource: RecordFacts, alike: readonly string[], assigned = '') {
  const { create, invite: creation = create, update }: Readonly<Record<string, Operation>> = operations[noun];
  const [creatable = [], changeable = []] = [creation, update].map((operation) =>
    Object.entries(operation?.parameters ?? {}).flatMap(([name, { on }]) => (on === undefined ? [name] : [])),
  );
  const columns = [...new Set([...creatable, ...changeable, assigned].filter(Boolean))];
  const headings = columns.flatMap((name) => (LINKS[name] ? [name, NAMES[LINKS[name]]] : [name]));
  // Where a record belongs is settled when it is made.
  const settable = changeable.filter((name) => !['project_id', 'user_id', assigned].includes(name));
  const known = { noun, resource, columns, headings: ['id', ...headings], alike, assigned };
  return { ...known, creation, creatable, update, settable };
}

export function placeFile(folder: string, { noun }: FolderFile): string {
  return `${folder.replace(/(?<=.)[/\\]+$/, '')}/${noun}.csv`;
}

export function listUnknownHeadings({ headings }: FolderFile, text: string): readonly string[] {
  const [heading = ''] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1);
  const names = heading.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  return names.filter((name) => !headings.includes(name));
}

/** What ids are called, and what names mean: projects by their name, members by their e-mail address. */
export class Links {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string[]>();

  constructor({ projects, members }: WorkspaceRecords) {
    for (const { id, name } of projects) this.add('projects', name, toText(id));
    for (const { id, email } of members) this.add('members', email, toText(id));
  }

  /** @param id absent: it is not there yet */
  add(noun: FolderNoun, name: unknown, id?: string): void {
    const key = `${noun} ${normalizeText(name ?? '')}`;
    const ids = this.#ids.get(key) ?? [];
    this.#ids.set(key, id === undefined ? ids : [...ids, id]);
    if (id !== undefined) this.#names.set(`${noun} ${id}`, toText(name ?? ''));
  }

  name(noun: LinkedNoun, id: string): string | undefined {
    return this.#names.get(`${noun} ${id}`);
  }

  /** The id that a name or an id means; undefined for what is still to come. */
  find(noun: LinkedNoun, text: string, onProblem: (what: string) => void): string | undefined {
    // An id is one, whatever is called so.
    if (this.name(noun, text.trim()) !== undefined) return text.trim();
    const ids = this.#ids.get(`${noun} ${normalizeText(text)}`);
    if (ids === undefined) onProblem(`no ${noun.slice(0, -1)} ${quoteText(text)}`);
    else if (ids.length > 1)
      onProblem(`${quoteText(text)} is the name of several ${noun}: ${ids.join(', ')}`);
    return ids?.[0];
  }
}

type WorkspaceRecords = Readonly<Record<FolderNoun, readonly Row[]>>;

/** All records that are not archived, by their ids. @throws as a read: half a workspace is none */
export async function loadRecords({ api, lists }: Run): Promise<WorkspaceRecords> {
  const read = async (call: Parameters<typeof lists.rows>[0]): Promise<readonly Row[]> =>
    (await lists.rows(call))
      .filter((row) => !isArchived(row))
      .sort((one, other) => compareIds(toText(one.id), toText(other.id)));
  const nouns = ['members', 'viewers', 'projects', 'contracts', 'webhooks'] as const;
  const all = nouns.map((noun) => read(api[noun].list({})));
  const [members = [], viewers = [], projects = [], contracts = [], webhooks = []] = await Promise.all(all);
  // A list is of one project, so that its rows need not say which.
  const tasks = projects.map(async ({ id }) =>
    (await read(api.tasks.list({ project_id: toNumber(id) }))).map((row) => ({ project_id: id, ...row })),
  );
  return {
    ...{ projects, contracts, webhooks, tasks: (await Promise.all(tasks)).flat() },
    members: members.filter(({ current_role: role }) => role !== records.PROJECT_VIEWER),
    viewers: viewers.filter((row) => !records.hasLeft(row)),
  };
}

/** A record as its file has it: numbers in one form (`40`, not `"40.00"`), the service's numbers as words. */
export function toCells({ noun, resource, columns }: FolderFile, record: Row, names: Links) {
  const { fields, shownAs } = resource;
  const cells: Record<string, string> = { id: toText(record.id ?? '') };
  for (const name of columns) {
    const field = shownAs?.[name] ?? name;
    const { words, type } = fields[field] ?? {};
    const linked = LINKS[name];
    if (linked !== undefined) {
      const ids = listIds(record, name);
      cells[NAMES[linked]] = ids.map((id) => names.name(linked, id) ?? '').join(',');
      cells[name] = ids.join(',');
      continue;
    }
    const value = words === undefined ? record[field] : toWord(words, record[field]);
    const number = type === 'number' || type === 'integer' ? toNumber(value) : Number.NaN;
    cells[name] = Number.isNaN(number) ? [value ?? ''].flat().map(toText).join(',') : String(number);
  }
  // A rate that is the member's or the project's is none of the contract.
  if (noun === 'contracts' && !records.hasOwnRate(record)) cells.rate = '';
  // Tokens stay at the service, and so do addresses with secrets in them: an empty cell changes nothing.
  const { url = '' } = cells;
  if (noun === 'webhooks' && maskAddress(url) !== url) cells.url = '';
  return cells;
}

export function listIds(record: Row, column: string): readonly string[] {
  const key = LINKS[column] === 'members' ? 'user_id' : 'project_id';
  const items = [record[column] ?? []].flat();
  const ids = items.map((item) => toText(isRecord(item) ? (item[key] ?? item.id) : item));
  return [...new Set(ids)].sort(compareIds);
}

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

/** A row of a file with the record that it is about, if that is there, and the cells that say something else than it. */
export type FolderRow = ReturnType<typeof matchRows>['rows'][number];
type WrittenRow = ReturnType<typeof readSheet>[number];

/** Reads a folder and its workspace. @throws UsageError for what is wrong with the files, before the first request */
export async function readFolder(run: Run, folder: string, program: Program) {
  const problems = new RowProblems(folder);
  const written: { readonly file: FolderFile; readonly rows: readonly WrittenRow[] }[] = [];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file);
    const text = await findText(run.machine, place);
    if (text === undefined) continue;
    const add: RowProblems['add'] = (line, what, hint, exit) => problems.add(line, what, hint, exit, place);
    try {
      // What was cut off, or is another file, does not say that all its records are to go.
      if (text.trim() === '')
        throw new UsageError('missing heading', { hint: 'Remove the file, or export it again.' });
      written.push({ file, rows: readSheet(run, program, file, text, add) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      add(Number(error.details.line ?? 1), error.message, error.hint);
    }
  }
  problems.throwIfAny();
  if (written.length === 0)
    throw new UsageError(`${folder} has none of the files of a workspace`, {
      hint: `Save them with: ${run.commandLine`ttctl workspaces export ${folder}`}`,
    });
  const present = await loadRecords(run);
  const links = new Links(present);
  // What the same files create or rename can be named too.
  for (const { file, rows } of written)
    for (const { texts } of rows) links.add(file.noun, texts[file.alike[0] ?? '']);
  const sheets = written.map(({ file, rows }) => matchRows(file, rows, present[file.noun], links));
  return { sheets, problems };
}

/** Each cell is checked as the flag of a command would be: what would create its record, and what would change it. */
function readSheet(
  run: Run,
  program: Program,
  file: FolderFile,
  text: string,
  addProblem: RowProblems['add'],
) {
  const { noun, columns, headings, creation, creatable, settable } = file;
  for (const name of listUnknownHeadings(file, text))
    addProblem(1, `unknown column ${quoteText(name)}: the columns are ${headings.join(', ')}`);
  const checkChange = createCheck(run, program, `${noun}.update`, ['id', ...settable]);
  const checkCreation = createCheck(run, program, creation?.id, creatable);
  const rows = [];
  for (const row of readRows('-.csv', text)) {
    const { line } = row;
    if ('problem' in row) {
      addProblem(line, row.problem);
      continue;
    }
    const texts = Object.fromEntries(row.names.map((name, i) => [name.trim(), String(row.cells[i])]));
    const id = texts.id?.trim() || undefined;
    // A name takes the place of an id that is left out.
    for (const name of id === undefined ? columns : [])
      if (LINKS[name] && !texts[name]?.trim()) texts[name] = texts[NAMES[LINKS[name]]] ?? '';
    const made = id === undefined ? checkCreation(texts) : { values: {}, problems: [] };
    const changed = checkChange({ ...texts, id: id ?? '0' });
    for (const one of new Set([...made.problems, ...changed.problems])) addProblem(line, one);
    const add = (what: string, exit?: typeof EXIT.notFound, hint?: string): void =>
      addProblem(line, what, hint, exit);
    rows.push({ line, id, texts, creation: made.values, change: changed.values, add });
  }
  return rows;
}

/** Checks the cells of these columns as the flags of a command; an empty one is not given. */
function createCheck(run: Run, program: Program, id: string | undefined, columns: readonly string[]) {
  const command = listCommands(program).find(({ operation }) => id !== undefined && operation?.id === id);
  if (command === undefined) return () => ({ values: {}, problems: [] });
  const { name } = command;
  const schema = openRowSchema(
    { command, options: {}, globals: {}, operands: [], typed: [], repeated: [] },
    { now: run.clock.now(), timeZone: run.timeZone },
    // Of a record that is there nothing is required.
    name === 'update' ? undefined : NO_EXTRA,
  );
  return (texts: Readonly<Record<string, string>>) => {
    const cells = columns.map((column) => texts[column] ?? '');
    const { checked, problems } = schema.check(columns, cells, ',');
    // Names stand where ids will.
    return { values: resolveRowValues(checked, (wanted) => wanted.texts), problems };
  };
}

function matchRows(file: FolderFile, written: readonly WrittenRow[], all: readonly Row[], links: Links) {
  const known = all.map((record) => {
    const cells = toCells(file, record, links);
    return { file, record, key: formatLikeness(file, cells), label: formatLabel(file, cells) };
  });
  const byId = new Map(known.map((one) => [toText(one.record.id), one]));
  const lines = new Map<unknown, number>();
  const rows = written.map((row) => {
    const { line, id, texts, add } = row;
    const creation = resolveLinks(row, links);
    const key = formatLikeness(file, { ...texts, ...creation.values });
    const likes = id === undefined ? known.filter((one) => one.key === key) : [];
    if (likes.length > 1)
      add(`could be ${likes.map(({ record }) => toText(record.id)).join(' or ')}: put its id in the row`);
    const { record, label = formatLabel(file, texts) } = (id === undefined ? likes[0] : byId.get(id)) ?? {};
    const other = lines.get(record ?? id ?? key);
    if (other !== undefined) add(`is about the same ${file.resource.words[0]} as line ${other}`);
    lines.set(record ?? id ?? key, line);
    const differences = record === undefined ? [] : compareCells(file, row, record, links);
    return { ...row, file, record, creation, label, differences };
  });
  const present = new Set(rows.map(({ record }) => record));
  return { file, rows, missing: known.filter(({ record }) => !present.has(record)) };
}

/** What would create the record of a row, with ids in the place of names; what is awaited keeps its name. */
function resolveLinks({ creation, add }: WrittenRow, links: Links) {
  let isAwaiting = false;
  const values = { ...creation };
  for (const [name, given] of Object.entries(creation)) {
    const noun = LINKS[name];
    if (noun === undefined) continue;
    const ids = [given].flat().map((text) => {
      const id = links.find(noun, toText(text), (what) => add(`${name}: ${what}`, EXIT.notFound));
      isAwaiting ||= id === undefined;
      return id === undefined ? text : toIdValue(id);
    });
    values[name] = Array.isArray(given) ? ids : ids[0];
  }
  return { values, isAwaiting };
}

/** Records with the same text are alike: what `--if-missing` compares. */
function formatLikeness({ alike }: FolderFile, cells: Values): string {
  const texts = alike.map((name) => (name === 'events' ? splitItems(cells[name]).sort() : [cells[name]]));
  return texts.map((parts) => parts.map((part) => normalizeText(part ?? '')).join()).join('\n');
}

/** What people call a record: `mei@example.com on Harbour website`. */
function formatLabel({ noun, alike }: FolderFile, cells: Readonly<Record<string, string>>): string {
  const { user_id: user, project_id: project, id = '' } = cells;
  if (noun !== 'contracts') return maskAddress(cells[alike[0] ?? ''] ?? '') || id;
  return `${cells[NAMES.members] || user} on ${cells[NAMES.projects] || project}`;
}

/** The cells that say something else than the record. An empty one of a row without an id says nothing. */
function compareCells(file: FolderFile, { id, texts, add }: WrittenRow, record: Row, links: Links) {
  const { resource, columns, update } = file;
  const shown = toCells(file, record, links);
  return columns.flatMap((field) => {
    const [after, before = ''] = [texts[field]?.trim(), shown[field]];
    if (after === undefined || (after === '' && (before.trim() === '' || id === undefined))) return [];
    const [noun, name] = [LINKS[field], resource.shownAs?.[field] ?? field];
    if (noun === undefined && !Array.isArray(record[name])) {
      const isSame = isShown(after, record[name], resource.fields[name], update?.parameters[field]);
      if (isSame && after !== '') return [];
      const misread = findMisread(after);
      if (misread !== undefined) add(`${field}: ${misread.message}`, undefined, misread.hint);
      return [{ field, before, after, items: [] }];
    }
    const present = splitItems(before);
    const tell = (what: string) => add(`${field}: ${what}`, EXIT.notFound);
    // An id that is there stays what it is, whatever else it names.
    const items = splitItems(after).map((item) =>
      noun === undefined || present.includes(item) ? item : links.find(noun, item, tell),
    );
    const wanted = new Set(items);
    const isSame = wanted.size === present.length && present.every((item) => wanted.has(item));
    return isSame ? [] : [{ field, before, after, items }];
  });
}
