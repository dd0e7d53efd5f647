import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { compareRows } from '../../changes/input/compare-rows.ts';
import type { InputRow } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT, quoteText } from '../../outcome.ts';
import { compareCells, nameRecord } from './differences.ts';
import { type FolderFile, listAssignees, listViewerProjects, toCells } from './files.ts';
import type { ExistingRow, MatchedSheet } from './match-rows.ts';
import { buildRecordCall, type PlannedRow, type Planning, toFailedColumns } from './planned-row.ts';
import type { FolderRow } from './read-rows.ts';
import { LINKS, splitItems, toIdValue } from './resolve-names.ts';

/** Rows of records that are there: what is to be changed. */

const toInputRow = ({ line, id, texts, values, cells }: FolderRow): InputRow => ({
  number: line,
  target: id,
  id,
  missing: false,
  values: () => ({ ...values }),
  columns: () => texts,
  cells: () => cells,
});

/** Columns that cannot be changed have to be as they are. */
const checkFixed = (planning: Planning, file: FolderFile, { row, record }: ExistingRow): void => {
  const problems = planning.problems.in(row.place);
  for (const { field, before, after } of compareCells(file, row, record, planning))
    if (file.fixed?.includes(field) === true && after !== '')
      problems.add(
        row.line,
        `${field}: ${quoteText(after)} cannot be set (the record has ${quoteText(before)})`,
      );
};

/** Whether a name beside an id is not what its record is called, nor will be: it may be old, or changed alone. */
const hasOtherName = (
  { names, wantedNames }: Planning,
  file: FolderFile,
  { row, record }: ExistingRow,
): boolean => {
  const [now, wanted] = [toCells(file, record, names), toCells(file, record, wantedNames)];
  return file.columns.some(({ name, beside }) => {
    const text = row.texts[name]?.trim() ?? '';
    if (beside === undefined || text === '') return false;
    const ids = row.texts[beside]?.trim() ?? '';
    const isEdited = ids !== '' && ids !== now[beside];
    const known = [now[name]?.trim(), wanted[name]?.trim()];
    return !isEdited && !known.includes('') && !known.includes(text);
  });
};

/** Told once a file, of its first such row. */
const warnOfRows = ({ context }: Planning, rows: readonly FolderRow[], text: string): void => {
  const [row] = rows;
  if (row === undefined) return;
  const more = rows.length === 1 ? '' : ` (and ${rows.length - 1} more)`;
  context.output.warn(`${row.place}:${row.line}${more}: ${text}`);
};

/** Names beside ids are for people: what was changed there alone changes nothing. */
const warnOfNames = (planning: Planning, { sheet, existing }: MatchedSheet): void => {
  const rows = existing.filter((one) => hasOtherName(planning, sheet, one)).map(({ row }) => row);
  warnOfRows(planning, rows, 'the name does not match the id in the same row; the id is used');
};

/** Empty cells change nothing either, though they are a difference. */
const warnOfEmptyCells = (planning: Planning, { sheet, existing }: MatchedSheet): void => {
  const found = existing.flatMap(({ row, record }) => {
    const cell = compareCells(sheet, row, record, planning).find(({ after }) => after === '');
    return cell === undefined ? [] : [{ row, cell }];
  });
  const { field, before } = found[0]?.cell ?? {};
  const rows = found.map(({ row }) => row);
  warnOfRows(planning, rows, `an empty cell leaves the value alone (${field} stays ${before})`);
};

const describeCells = (planning: Planning, file: FolderFile, { row, record }: ExistingRow): string =>
  compareCells(file, row, record, planning)
    .filter(({ field, after }) => after !== '' && field !== file.links)
    .map(({ field, before, after }) => `${field}: ${before || '–'} → ${after}`)
    .join(', ');

/** The updates of one file; only cells that say something else are sent. */
const planCells = async (planning: Planning, sheet: MatchedSheet): Promise<readonly PlannedRow[]> => {
  const { context, problems, names } = planning;
  const { sheet: file, existing } = sheet;
  const { noun } = file;
  if (noun === 'viewers') return [];
  const byId = new Map(existing.map((one) => [one.row.id, one]));
  const create = ({ id }: InputRow, values: Values) =>
    buildRecordCall(context, noun, 'update', byId.get(id)?.record ?? {}, values);
  const requests = existing.map(({ row, record }) => {
    const input = toInputRow(row);
    return {
      row: input,
      values: row.values,
      call: create(input, row.values),
      target: row.id ?? '',
      known: record,
    };
  });
  const [place = ''] = existing.map(({ row }) => row.place);
  const rules = { base: undefined, skipMissing: false, problems: problems.in(place) };
  const compared = await compareRows(context, requests, create, rules);
  return existing.flatMap((one, i): PlannedRow[] => {
    const { values = one.row.values, known } = compared[i] ?? {};
    const request = requests[i];
    if (known !== undefined || request === undefined || Object.keys(values).length === 0) return [];
    const { row, record } = one;
    const call = create(request.row, values);
    const columns = toFailedColumns(file, row, call.operation.id);
    const { target } = request;
    const label = nameRecord(noun, record, names);
    return [
      {
        change: { target, label, key: `${noun} ${target}`, columns, before: record, after: values, call },
        words: [label, describeCells(planning, file, one), target],
      },
    ];
  });
};

/** The ids that a cell with links asks for; undefined for a cell that leaves them alone. */
export const findWantedLinks = (
  { index, problems }: Planning,
  { links = '' }: FolderFile,
  row: FolderRow,
  present: readonly string[],
): readonly string[] | undefined => {
  const items = splitItems(row.texts[links] ?? '');
  const noun = LINKS[links as keyof typeof LINKS];
  return items?.flatMap((item) => {
    if (present.includes(item)) return [item];
    const { id, problem } = index.find(noun, item);
    if (problem !== undefined)
      problems.in(row.place).add(row.line, `${links}: ${problem}`, undefined, EXIT.notFound);
    return id ?? [];
  });
};

/** A change of who is assigned, or of what a viewer may see. @param subject a record, or what stands for one */
export const planLink = (
  { context, names }: Planning,
  file: FolderFile,
  verb: 'assign' | 'unassign',
  subject: { readonly id: unknown; readonly record?: Row; readonly name: string },
  link: string,
): PlannedRow => {
  const { noun } = file;
  const { id, record, name } = subject;
  const value = noun === 'tasks' ? { userId: link } : { project_id: toIdValue(link) };
  const call = buildRecordCall(context, noun, verb, { ...record, id }, value);
  const target = noun === 'tasks' ? link : record === undefined ? name : toText(id);
  const called = (noun === 'tasks' ? names.member(link) : names.project(link)) || link;
  const project = toText(record?.['project_id']);
  const own: Readonly<Record<string, string>> =
    noun === 'tasks'
      ? { task: toText(id), member: link, project_id: project }
      : { id: toText(id), project_id: link };
  return {
    change: {
      target,
      label: noun === 'tasks' ? `${called} (${name})` : `${name} (${called})`,
      key: `${noun} ${verb} ${toText(id)} ${link}`,
      columns: { operation: call.operation.id, ...own },
      after: call.values,
      call,
      ...(record && { before: record }),
    },
    words: [name, `${verb} ${called}`],
  };
};

const planLinks = (planning: Planning, { sheet: file, existing }: MatchedSheet): readonly PlannedRow[] => {
  if (file.links === undefined) return [];
  return existing.flatMap(({ row, record }) => {
    const present = file.noun === 'tasks' ? listAssignees(record) : listViewerProjects(record);
    const wanted = findWantedLinks(planning, file, row, present);
    if (wanted === undefined) return [];
    const subject = { id: record['id'], record, name: nameRecord(file.noun, record, planning.names) };
    const plan = (verb: 'assign' | 'unassign') => (link: string) =>
      planLink(planning, file, verb, subject, link);
    return [
      ...wanted.filter((link) => !present.includes(link)).map(plan('assign')),
      ...present.filter((link) => !wanted.includes(link)).map(plan('unassign')),
    ];
  });
};

export interface PlannedUpdates {
  readonly updates: readonly PlannedRow[];
  readonly links: readonly PlannedRow[];
}

export const planUpdates = async (planning: Planning, sheet: MatchedSheet): Promise<PlannedUpdates> => {
  for (const one of sheet.existing) {
    checkFixed(planning, sheet.sheet, one);
  }
  warnOfNames(planning, sheet);
  warnOfEmptyCells(planning, sheet);
  return { updates: await planCells(planning, sheet), links: planLinks(planning, sheet) };
};
