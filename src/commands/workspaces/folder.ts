import type { Row } from '../../api/page.ts';
import { checkRequired, NO_EXTRA, type Values } from '../../api/plan.ts';
import { resolveRowValues } from '../../changes/input/file.ts';
import { createRowProblems, findText, type RowProblems } from '../../changes/input/files.ts';
import { readRows } from '../../changes/input/rows.ts';
import { RowSchema } from '../../changes/input/schema.ts';
import { isShown } from '../../changes/input/select-rows.ts';
import { listCommands, type Program } from '../../cli/command.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { maskAddress } from '../../http/redact.ts';
import { toText } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import { normalizeText } from '../../resources/proof.ts';
import type { Run } from '../../run.ts';
import {
  FOLDER_FILES,
  type FolderFile,
  LINKS,
  Links,
  listHeadings,
  listUnknownHeadings,
  loadRecords,
  NAMES,
  placeFile,
  splitItems,
  toCells,
  toIdValue,
} from './files.ts';

/** The rows of a folder beside the records of the service: what differs, and what is new, missing or gone. */

export type Folder = Awaited<ReturnType<typeof readFolder>>;
/** A row of a file with the record that it is about, if that is there, and the cells that say something else than it. */
export type FolderRow = Folder['sheets'][number]['rows'][number];
/** Each cell is checked as the flag of a command would be: what would create its record, and what would change it. */
type WrittenRow = ReturnType<typeof readSheet>[number];

/** Reads a folder and its workspace. @throws UsageError for what is wrong with the files, before the first request */
export async function readFolder(run: Run, folder: string, program: Program) {
  const problems = createRowProblems(folder);
  const written: (readonly [file: FolderFile, rows: readonly WrittenRow[]])[] = [];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const text = await findText(run.machine, place);
    if (text === undefined) continue;
    const own = problems.in(place);
    try {
      // What was cut off, or is another file, does not say that all its records are to go.
      if (text.trim() === '')
        throw new UsageError('missing heading', { hint: 'Remove the file, or export it again.' });
      written.push([file, readSheet(run, program, file, text, own)]);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      own.add(Number(error.details['line'] ?? 1), error.message, error.hint);
    }
  }
  problems.throwIfAny();
  if (written.length === 0)
    throw new UsageError(`${folder} has none of the files of a workspace`, {
      hint: `Save them with: ${run.commandLine`ttctl workspaces export ${folder}`}`,
    });
  const records = await loadRecords(run);
  const links = new Links(records);
  // What the same files create or rename can be named too.
  for (const [{ noun, alike }, rows] of written)
    for (const { texts } of rows) links.add(noun, [texts[alike[0] ?? '']]);
  const sheets = written.map(([file, rows]) => ({
    file,
    ...matchRows(file, rows, records[file.noun], links),
  }));
  return { sheets, links, problems };
}

function readSheet(run: Run, program: Program, file: FolderFile, text: string, problems: RowProblems) {
  const { noun, columns, creation, creatable, settable } = file;
  for (const name of listUnknownHeadings(file, text))
    problems.add(1, `unknown column ${quoteText(name)}: the columns are ${listHeadings(file).join(', ')}`);
  const checkChange = createCheck(run, program, `${noun}.update`, ['id', ...settable]);
  const checkCreation = createCheck(run, program, creation?.id, creatable);
  const rows = [];
  for (const row of readRows('-.csv', text)) {
    const { line } = row;
    if ('problem' in row) {
      problems.add(line, row.problem);
      continue;
    }
    const texts = Object.fromEntries(row.names.map((name, i) => [name.trim(), String(row.cells[i])]));
    const id = texts['id']?.trim() || undefined;
    // A name takes the place of an id that is left out.
    for (const name of id === undefined ? columns : []) {
      const noun = LINKS[name];
      if (noun && !texts[name]?.trim()) texts[name] = texts[NAMES[noun]] ?? '';
    }
    const made = id === undefined ? checkCreation(texts) : { values: {}, problems: [] };
    const changed = checkChange({ ...texts, id: id ?? '0' });
    for (const one of new Set([...made.problems, ...changed.problems])) problems.add(line, one);
    const add = (what: string, exit?: typeof EXIT.notFound, hint?: string): void =>
      problems.add(line, what, hint, exit);
    rows.push({ file, line, id, texts, creation: made.values, change: changed.values, add });
  }
  return rows;
}

/** Checks the cells of these columns as the flags of a command; an empty one is not given. */
function createCheck(run: Run, program: Program, id: string | undefined, columns: readonly string[]) {
  const command = listCommands(program).find(({ operation }) => id !== undefined && operation?.id === id);
  if (command === undefined) return () => ({ values: {}, problems: [] });
  const { operation, name } = command;
  const schema = new RowSchema(
    { command, options: {}, globals: {}, operands: [], typed: [], repeated: [] },
    { now: run.clock.now(), timeZone: run.timeZone },
    (given, flagOf) => {
      // Of a record that is there nothing is required.
      if (operation !== undefined && name !== 'update')
        checkRequired(operation, given, { extra: NO_EXTRA, flagOf });
    },
  );
  return (texts: Readonly<Record<string, string>>) => {
    const cells = columns.map((column) => texts[column] ?? '');
    const { values, problems } = schema.check(columns, cells);
    // Names stand where ids will.
    return { values: resolveRowValues(values, (wanted) => wanted.texts), problems };
  };
}

function matchRows(file: FolderFile, written: readonly WrittenRow[], records: readonly Row[], links: Links) {
  const byId = new Map(records.map((record) => [toText(record['id']), record]));
  const alike = new Map<string, Row[]>();
  for (const record of records) {
    const key = formatLikeness(file, toCells(file, record, links));
    alike.set(key, [...(alike.get(key) ?? []), record]);
  }
  const lines = new Map<unknown, number>();
  const rows = written.map((row) => {
    const { line, id, texts, add } = row;
    const { creation, isAwaiting } = resolveLinks(row, links);
    const key = formatLikeness(file, { ...texts, ...creation });
    const likes = id === undefined ? (alike.get(key) ?? []) : [];
    if (likes.length > 1)
      add(`could be ${likes.map((one) => toText(one['id'])).join(' or ')}: put its id in the row`);
    const record = id === undefined ? likes[0] : byId.get(id);
    const other = lines.get(record ?? id ?? key);
    if (other !== undefined) add(`is about the same ${file.resource.words[0]} as line ${other}`);
    lines.set(record ?? id ?? key, line);
    const label = formatLabel(file, record ?? { ...texts, ...creation }, links);
    const differences = record === undefined ? [] : compareCells(row, record, links);
    return { ...row, record, creation, isAwaiting, label, differences };
  });
  const present = new Set(rows.map(({ record }) => record));
  const missing = records.filter((record) => !present.has(record));
  return {
    rows,
    missing: missing.map((record) => ({ file, record, label: formatLabel(file, record, links) })),
  };
}

/** What would create the record of a row, with ids in the place of names; what is awaited keeps its name. */
function resolveLinks({ creation: written, add }: WrittenRow, links: Links) {
  let isAwaiting = false;
  const creation = { ...written };
  for (const [name, given] of Object.entries(written)) {
    const noun = LINKS[name];
    const resolve = (text: unknown): unknown => {
      const id = noun && links.find(noun, toText(text), (what) => add(`${name}: ${what}`, EXIT.notFound));
      isAwaiting ||= id === undefined;
      return id === undefined ? text : toIdValue(id);
    };
    if (noun !== undefined) creation[name] = Array.isArray(given) ? given.map(resolve) : resolve(given);
  }
  return { creation, isAwaiting };
}

/** Records with the same text are alike: what `--if-missing` compares. */
function formatLikeness({ alike }: FolderFile, cells: Values): string {
  const texts = alike.map((name) => (name === 'events' ? splitItems(cells[name]).sort() : [cells[name]]));
  return texts.map((parts) => parts.map((part) => normalizeText(part ?? '')).join()).join('\n');
}

/** What people call a record: `mei@example.com on Harbour website`. @param record it, or what would create it */
function formatLabel({ alike: [name = ''] }: FolderFile, record: Values, links: Links): string {
  const { user_id: user, project_id: project, id } = record;
  if (name !== 'project_id') return maskAddress(toText(record[name] ?? id ?? ''));
  if (user === undefined) return toText(id ?? '');
  const [member, of] = [toText(user), toText(project)];
  return `${links.name('members', member) || member} on ${links.name('projects', of) || of}`;
}

/** An empty cell of a row without an id says nothing. */
function compareCells({ file, id, texts }: WrittenRow, record: Row, links: Links) {
  const { resource, columns, update } = file;
  const shown = toCells(file, record, links);
  const isSame = (name: string, text: string, before: string): boolean => {
    const [noun, field] = [LINKS[name], resource.shownAs?.[name] ?? name];
    if (text === '') return before.trim() === '' || id === undefined;
    if (noun === undefined && !Array.isArray(record[field]))
      return isShown(text, record[field], resource.fields[field], update?.parameters[name]);
    const present = splitItems(before);
    // An id that is there stays what it is, whatever else it names.
    const getId = (item: string) =>
      noun === undefined || present.includes(item) ? item : links.find(noun, item, () => {});
    const wanted = new Set(splitItems(text).map(getId));
    return wanted.size === present.length && present.every((item) => wanted.has(item));
  };
  return columns.flatMap((field) => {
    const [after, before = ''] = [texts[field]?.trim(), shown[field]];
    return after === undefined || isSame(field, after, before) ? [] : [{ field, before, after }];
  });
}
