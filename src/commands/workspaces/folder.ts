import { formatPersonName } from '../../api/kinds.ts';
import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { checkRequired, NO_EXTRA, type Values } from '../../api/plan.ts';
import { resolveRowValues } from '../../changes/input/file.ts';
import { findText } from '../../changes/input/files.ts';
import { createRowProblems, type RowProblems } from '../../changes/input/row-problems.ts';
import { readRows } from '../../changes/input/rows.ts';
import { RowSchema } from '../../changes/input/schema.ts';
import { isShown } from '../../changes/input/select-rows.ts';
import { listCommands, type Program } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { maskAddress } from '../../http/redact.ts';
import { toText } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import { normalizeText } from '../../resources/proof.ts';
import {
  createFolderNames,
  FOLDER_FILES,
  type FolderFile,
  type FolderNames,
  getCreation,
  LINKS,
  listHeadings,
  listUnknownHeadings,
  loadRecords,
  NAMES,
  placeFile,
  splitItems,
  toCells,
  toIdValue,
  type WorkspaceRecords,
} from './files.ts';

/** The rows of a folder beside the records of the service: what differs, and what is new, missing or gone. */

/** A row of a file, each cell checked as the flag of a command would be. */
interface FolderRow {
  readonly line: number;
  /** As it stands in the file; undefined: the record that is alike, or a new one. */
  readonly id: string | undefined;
  /** By the column; columns that the file does not have are missing. */
  readonly texts: Readonly<Record<string, string>>;
  /** What would create its record, and what would change it. */
  readonly creation: Values;
  readonly change: Values;
  /** Tells what is wrong with it. @param hint what to do about it */
  readonly add: (what: string, exit?: typeof EXIT.notFound, hint?: string) => void;
}

interface Sheet {
  readonly file: FolderFile;
  readonly rows: readonly FolderRow[];
}

/** The id that a name or an id in a cell means; undefined for a record that the same files create or rename. */
export type FindLink = (
  noun: 'projects' | 'members',
  text: string,
  onProblem: (what: string) => void,
) => string | undefined;

export interface MatchedRow extends FolderRow {
  /** What people call its record. */
  readonly label: string;
  /** Undefined where it is to be created or (with an id) is gone. */
  readonly record: Row | undefined;
  /** The cells that say something else than the record: what the service has, and what the file. */
  readonly differences: readonly {
    readonly field: string;
    readonly before: string;
    readonly after: string;
  }[];
  /** Whether what it belongs to is still to be created. */
  readonly isAwaiting: boolean;
}

export interface MatchedFolder {
  readonly sheets: readonly {
    readonly file: FolderFile;
    readonly rows: readonly MatchedRow[];
    /** Records that no row is about. */
    readonly missing: readonly { readonly record: Row; readonly label: string }[];
  }[];
  readonly names: FolderNames;
  readonly find: FindLink;
  /** Names of nothing, and rows that could be about several records. */
  readonly problems: RowProblems;
}

/** Reads a folder and its workspace. @throws UsageError for what is wrong with the files, before the first request */
export async function matchFolder(
  context: Context,
  folder: string,
  program: Program,
): Promise<MatchedFolder> {
  const problems = createRowProblems(folder);
  const sheets: Sheet[] = [];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const text = await findText(context.machine, place);
    if (text === undefined) continue;
    const check = createRowCheck(context, program, file, problems.in(place));
    sheets.push({ file, rows: await readSheet(place, text, file, check, problems.in(place)) });
  }
  if ((await findText(context.machine, `${folder}/people.csv`)) !== undefined)
    throw new UsageError(`${folder}/people.csv is no longer read`, {
      hint: 'Put its people in members.csv and their contracts in contracts.csv, and remove it.',
    });
  if (sheets.length === 0)
    throw new UsageError(`${folder} has none of the files of a workspace`, {
      hint: `Save them with: ${context.commandLine`ttctl workspaces export ${folder}`}`,
    });
  problems.throwIfAny();
  const records = await loadRecords(context);
  const [names, find] = [createFolderNames(records), createFinder(records, sheets)];
  const matched = sheets.map((sheet) => matchSheet(sheet, records[sheet.file.noun], names, find));
  return { sheets: matched, names, find, problems };
}

type RowCheck = (line: number, texts: FolderRow['texts']) => FolderRow;

/** @param problems gets what cannot be read */
async function readSheet(
  place: string,
  text: string,
  file: FolderFile,
  check: RowCheck,
  problems: RowProblems,
): Promise<readonly FolderRow[]> {
  // What was cut off, or is another file, does not say that all its records are to go.
  if (text.trim() === '') problems.add(1, 'missing heading', 'Remove the file, or export it again.');
  if (text.trim() === '') return [];
  for (const name of listUnknownHeadings(file, text))
    problems.add(1, `unknown column ${quoteText(name)}: the columns are ${listHeadings(file).join(', ')}`);
  const rows: FolderRow[] = [];
  try {
    for (const row of readRows(place, text)) {
      if ('problem' in row) problems.add(row.line, row.problem);
      else {
        const cells = row.names.map((name, i) => [name.trim(), String(row.cells[i] ?? '')]);
        rows.push(check(row.line, Object.fromEntries(cells)));
      }
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.add(Number(error.details['line'] ?? 1), error.message, error.hint);
  }
  return rows;
}

function createRowCheck(
  context: Context,
  program: Program,
  { noun, columns, later = [], fixed = [], assigned }: FolderFile,
  problems: RowProblems,
): RowCheck {
  const check = (path: string, names: readonly string[]) => createCheck(context, program, path, names);
  const settable = columns.filter((name) => name !== assigned && !fixed.includes(name));
  const checkChange = check(`${noun} update`, ['id', ...settable]);
  const creatable = columns.filter((name) => !later.includes(name));
  const checkCreation = check(`${noun} ${getCreation(noun)}`, creatable);
  return (line, written) => {
    const id = written['id']?.trim() || undefined;
    const texts = id === undefined ? withNames(columns, written) : written;
    const creation = id === undefined ? checkCreation(texts) : { values: {}, problems: [] };
    const change = checkChange({ ...texts, id: id ?? '0' });
    for (const problem of new Set([...creation.problems, ...change.problems])) problems.add(line, problem);
    const add: FolderRow['add'] = (what, exit, hint) => problems.add(line, what, hint, exit);
    return { line, id, texts, creation: creation.values, change: change.values, add };
  };
}

/** A name takes the place of an id that is left out. */
function withNames(columns: readonly string[], texts: FolderRow['texts']): FolderRow['texts'] {
  const named = { ...texts };
  for (const name of columns) {
    const called = texts[LINKS[name] === undefined ? name : NAMES[LINKS[name]]];
    if (called !== undefined && !texts[name]?.trim()) named[name] = called;
  }
  return named;
}

/** Checks the cells of these columns as the flags of a command; an empty one is not given. Viewers have no update. */
function createCheck(context: Context, program: Program, path: string, columns: readonly string[]) {
  const command = listCommands(program).find((one) => one.path === path);
  if (command === undefined) return () => ({ values: {}, problems: [] });
  const { operation, name } = command;
  const schema = new RowSchema(
    { command, options: {}, globals: {}, operands: [], typed: [], repeated: [] },
    { now: context.clock.now(), timeZone: context.timeZone },
    (given, flagOf) => {
      // Of a record that is there nothing is required.
      if (operation !== undefined && name !== 'update')
        checkRequired(operation, given, { extra: NO_EXTRA, flagOf });
    },
  );
  return (texts: FolderRow['texts']) => {
    const cells = columns.map((column) => texts[column] ?? '');
    const { values, problems } = schema.check(columns, cells);
    // Names stand where ids will.
    return { values: resolveRowValues(values, (wanted) => wanted.texts), problems };
  };
}

function createFinder(records: WorkspaceRecords, sheets: readonly Sheet[]): FindLink {
  const ids = new Map<string, Set<string>>();
  const add = (noun: string, name: unknown, { id }: Row): void => {
    const key = `${noun} ${normalizeText(name ?? '')}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(toText(id)));
  };
  for (const row of records.projects) add('projects', row['name'], row);
  for (const row of records.members)
    for (const name of [row['email'], formatPersonName(row)]) add('members', name, row);
  // An id is one, whatever is called so.
  for (const noun of ['projects', 'members'] as const)
    for (const { id } of records[noun]) ids.set(`${noun} ${toText(id)}`, new Set([toText(id)]));
  const written = new Set(
    sheets.flatMap(({ file: { noun, alike }, rows }) =>
      rows.map(({ texts }) => `${noun} ${normalizeText(texts[alike[0] ?? ''] ?? '')}`),
    ),
  );
  return (noun, text, onProblem) => {
    const key = `${noun} ${normalizeText(text)}`;
    const [id, ...others] = ids.get(key) ?? [];
    if (others.length > 0)
      onProblem(`${quoteText(text)} is the name of several ${noun}: ${[id, ...others].join(', ')}`);
    else if (id === undefined && !written.has(key)) onProblem(`no ${noun.slice(0, -1)} ${quoteText(text)}`);
    return id;
  };
}

function matchSheet(
  { file, rows }: Sheet,
  records: readonly Row[],
  names: FolderNames,
  find: FindLink,
): MatchedFolder['sheets'][number] {
  const byId = new Map(records.map((record) => [toText(record['id']), record]));
  const alike = new Map<string, Row[]>();
  for (const record of records) {
    const key = formatLikeness(file, toCells(file, record, names));
    alike.set(key, [...(alike.get(key) ?? []), record]);
  }
  const lines = new Map<unknown, number>();
  const matched = rows.map((row): MatchedRow => {
    const { line, id, texts, add } = row;
    const { creation, isAwaiting } = resolveLinks(row, find);
    const key = formatLikeness(file, { ...texts, ...creation });
    const likes = id === undefined ? (alike.get(key) ?? []) : [];
    if (likes.length > 1)
      add(`could be ${likes.map((one) => toText(one['id'])).join(' or ')}: put its id in the row`);
    const record = id === undefined ? likes[0] : byId.get(id);
    const other = lines.get(record ?? id ?? key);
    if (other !== undefined) add(`is about the same ${file.resource.words[0]} as line ${other}`);
    lines.set(record ?? id ?? key, line);
    return {
      ...{ ...row, record, creation, isAwaiting },
      label: formatLabel(file, record ?? { ...texts, ...creation }, names),
      differences: record === undefined ? [] : compareCells(row, record, file, names, find),
    };
  });
  const present = new Set(matched.map(({ record }) => record));
  const missing = records.filter((record) => !present.has(record));
  return {
    ...{ file, rows: matched },
    missing: missing.map((record) => ({ record, label: formatLabel(file, record, names) })),
  };
}

/** What would create the record of a row, with ids in the place of names; what is awaited keeps its name. */
function resolveLinks(row: FolderRow, find: FindLink): Pick<MatchedRow, 'creation' | 'isAwaiting'> {
  const creation = { ...row.creation };
  let isAwaiting = false;
  for (const [name, noun] of Object.entries(LINKS)) {
    const given = creation[name];
    if (given === undefined) continue;
    const resolve = (text: unknown): unknown => {
      const id = find(noun, toText(text), (what) => row.add(`${name}: ${what}`, EXIT.notFound));
      isAwaiting ||= id === undefined;
      return id === undefined ? text : toIdValue(id);
    };
    creation[name] = Array.isArray(given) ? given.map(resolve) : resolve(given);
  }
  return { creation, isAwaiting };
}

/** Records with the same text are alike: what `--if-missing` compares. */
function formatLikeness({ alike }: FolderFile, cells: Values): string {
  const texts = alike.map((name) => (name === 'events' ? splitItems(cells[name]).sort() : [cells[name]]));
  return texts.map((parts) => parts.map((part) => normalizeText(part ?? '')).join()).join('\n');
}

/** What people call a record: `mei@example.com on Harbour website`. @param record it, or what would create it */
function formatLabel({ alike: [name = ''] }: FolderFile, record: Values, names: FolderNames): string {
  const { user_id: user, project_id: project, id } = record;
  if (name !== 'project_id') return maskAddress(toText(record[name] ?? id ?? ''));
  if (user === undefined) return toText(id ?? '');
  const [member, of] = [toText(user), toText(project)];
  return `${names('members', member) || member} on ${names('projects', of) || of}`;
}

/** An empty cell of a row without an id says nothing. */
function compareCells(
  { id, texts }: FolderRow,
  record: Row,
  file: FolderFile,
  names: FolderNames,
  find: FindLink,
): MatchedRow['differences'] {
  const { noun, resource, columns } = file;
  const { update }: Readonly<Record<string, Operation>> = operations[noun];
  const shown = toCells(file, record, names);
  const isSame = (name: string, text: string, before: string): boolean => {
    const [links, field] = [LINKS[name], resource.shownAs?.[name] ?? name];
    if (text === '') return before.trim() === '' || id === undefined;
    if (links === undefined && !Array.isArray(record[field]))
      return isShown(text, record[field], resource.fields[field], update?.parameters[name]);
    const present = splitItems(before);
    // An id that is there stays what it is, whatever else it names.
    const getId = (item: string) =>
      links === undefined || present.includes(item) ? item : find(links, item, () => {});
    const wanted = new Set(splitItems(text).map(getId));
    return wanted.size === present.length && present.every((item) => wanted.has(item));
  };
  return columns.flatMap((field) => {
    const [after, before = ''] = [texts[field]?.trim(), shown[field]];
    return after === undefined || isSame(field, after, before) ? [] : [{ field, before, after }];
  });
}
