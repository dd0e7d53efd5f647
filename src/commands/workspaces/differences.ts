import type { Operation, Parameter } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isShown } from '../../changes/input/compare-rows.ts';
import { toText } from '../../json/stringify.ts';
import { isSameValue } from '../../parsing/meaning.ts';
import { maskAddress } from '../../parsing/secrets.ts';
import { findResource } from '../../resources/records.ts';
import { type FolderFile, type FolderNames, toCells } from './files.ts';
import type { MatchedFolder, MatchedSheet } from './match-rows.ts';
import type { FolderRow } from './read-rows.ts';
import type { FolderNoun } from './records.ts';
import { LINKS, type NameIndex, splitItems } from './resolve-names.ts';

/** What differs between the files of a folder and the workspace. */

/** A cell that says something else than its record. */
export interface CellDifference {
  readonly field: string;
  /** At the service. */
  readonly before: string;
  /** In the file. */
  readonly after: string;
}

const isLink = (name: string): name is keyof typeof LINKS => Object.hasOwn(LINKS, name);

const getParameter = (noun: FolderNoun, name: string): Partial<Parameter> => {
  const verbs: Readonly<Record<string, Operation>> = operations[noun];
  return verbs['update']?.parameters[name] ?? {};
};

/** Whether a cell with ids or names means those that the record has. */
const hasSameLinks = (name: keyof typeof LINKS, text: string, shown: string, index: NameIndex): boolean => {
  const [wanted, present] = [splitItems(text) ?? [], splitItems(shown) ?? []];
  const ids = wanted.map((item) => (present.includes(item) ? item : index.find(LINKS[name], item).id));
  return new Set(ids).size === present.length && ids.every((id) => id !== undefined && present.includes(id));
};

/** The cells of a row that say something else than its record. An empty cell of a new row says nothing. */
export const compareCells = (
  file: FolderFile,
  { id, texts, cells }: FolderRow,
  record: Row,
  { names, index }: { readonly names: FolderNames; readonly index: NameIndex },
): readonly CellDifference[] => {
  const shown = toCells(file, record, names);
  const fields = findResource(file.noun)?.fields ?? {};
  const isSame = (name: string, text: string, before: string): boolean => {
    if (text.trim() === '') return before.trim() === '' || id === undefined;
    if (isLink(name)) return hasSameLinks(name, text, before, index);
    const cell = cells.find(({ column }) => column === name);
    if (cell === undefined) return isSameValue(text, before);
    const value = record[cell.field];
    if (Array.isArray(value)) return isSameValue(splitItems(text), value);
    return isShown(cell.text, value, fields[cell.field], getParameter(file.noun, cell.parameter ?? ''));
  };
  return file.columns.flatMap(({ name: field, beside }) => {
    const [text, before = ''] = [texts[field], shown[field]];
    if (field === 'id' || beside !== undefined || text === undefined) return [];
    return isSame(field, text, before) ? [] : [{ field, before, after: text.trim() }];
  });
};

/** The field of a record that people call it by, which the file has under the same name. */
const NAME_FIELDS: Readonly<Record<FolderNoun, string>> = {
  projects: 'name',
  members: 'email',
  viewers: 'email',
  contracts: 'id',
  tasks: 'title',
  webhooks: 'url',
};

/** `mei@example.com on Harbour website`; what is made in the same run by its name */
const nameContract = (names: FolderNames, user: unknown, project: unknown): string => {
  const call = (id: string, find: (id: string) => string): string => find(id) || id.replace(/^new:/, '');
  return `${call(toText(user), names.member)} on ${call(toText(project), names.project)}`;
};

/** What a record is called in messages. */
export const nameRecord = (noun: FolderNoun, record: Row, names: FolderNames): string => {
  if (noun === 'contracts') return nameContract(names, record['user_id'], record['project_id']);
  const name = toText(record[NAME_FIELDS[noun]] ?? record['id'] ?? '');
  return noun === 'webhooks' ? maskAddress(name) : name;
};

/** The same of a row whose record is not there. @param values what would make it */
export const nameRow = (
  noun: FolderNoun,
  { texts, id = '' }: FolderRow,
  names: FolderNames,
  values: Values = {},
): string => {
  if (noun === 'contracts' && values['user_id'] !== undefined)
    return nameContract(names, values['user_id'], values['project_id']);
  const name = texts[NAME_FIELDS[noun]]?.trim() || id;
  return noun === 'webhooks' ? maskAddress(name) : name;
};

const listOfSheet = (
  { sheet, existing, gone, added, missing }: MatchedSheet,
  index: NameIndex,
  names: FolderNames,
): readonly Row[] => {
  const { noun, file } = sheet;
  const base = { file, line: null, id: null, field: null, before: null, after: null };
  const ofRecord = (record: Row) => ({
    ...base,
    id: toText(record['id']),
    record: nameRecord(noun, record, names),
  });
  const ofRow = (row: FolderRow, values?: Values) => ({
    ...base,
    line: row.line,
    id: row.id ?? null,
    record: nameRow(noun, row, names, values),
  });
  const compare = (row: FolderRow, record: Row): readonly Row[] =>
    compareCells(sheet, row, record, { names, index }).map((cell) => ({
      ...ofRecord(record),
      line: row.line,
      status: 'changed',
      ...cell,
    }));
  return [
    ...existing.flatMap(({ row, record }) => compare(row, record)),
    ...gone.map((row) => ({ ...ofRow(row), status: 'gone' })),
    ...added.flatMap(({ row, like, call: { values } }) =>
      like === undefined ? [{ ...ofRow(row, values), status: 'new' }] : compare(row, like),
    ),
    ...missing.map((record) => ({ ...ofRecord(record), status: 'missing' })),
  ];
};

/** In the order of the files and their rows. */
export const listDifferences = ({ sheets, index }: MatchedFolder, names: FolderNames): readonly Row[] =>
  sheets.flatMap((sheet) => listOfSheet(sheet, index, names));
