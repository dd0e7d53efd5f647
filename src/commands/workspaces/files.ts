import type { Row } from '../../api/page.ts';
import { isRecord, toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { formatCsv } from '../../output/formats/csv.ts';
import { maskAddress } from '../../parsing/secrets.ts';
import { contract, hasOwnRate } from '../../resources/contract.ts';
import { member } from '../../resources/member.ts';
import { project } from '../../resources/project.ts';
import { type Fields, toWord } from '../../resources/resource.ts';
import { task } from '../../resources/task.ts';
import { viewer } from '../../resources/viewer.ts';
import { webhook } from '../../resources/webhook.ts';
import { FOLDER_NOUNS, type FolderNoun, type WorkspaceRecords } from './records.ts';

/**
 * The files of a workspace's folder: what can be set of a record, and the names of what it belongs to beside their ids.
 * No times, and nothing that the service computes: the file changes only where somebody changed something.
 */

/** What ids are called. */
export interface FolderNames {
  readonly project: (id: string) => string;
  /** The e-mail address. */
  readonly member: (id: string) => string;
}

type Cell = (record: Row, names: FolderNames) => string;

interface FileColumn {
  readonly name: string;
  readonly cell: Cell;
  /** Names that stand beside the ids of this column, for people. */
  readonly beside?: string;
}

export interface FolderFile {
  readonly noun: FolderNoun;
  /** `projects.csv` */
  readonly file: string;
  readonly columns: readonly FileColumn[];
  /** Columns that a creation cannot set: they are, once the record is made. */
  readonly later?: readonly string[];
  /** The column of what is assigned to a record, one by one. */
  readonly links?: string;
  /** Columns that cannot be set any more once the record is there. */
  readonly fixed?: readonly string[];
}

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(toText).join(',') : toText(value);
};

/** The same however the service writes it: `40` and `"40.00"`. */
const formatNumber = (value: unknown): string => {
  const number = toNumber(value);
  return Number.isNaN(number) ? formatValue(value) : String(number);
};

/** A field as its file has it: the service's numbers as words. @param shown the field, where it has another name */
const createField =
  (fields: Fields) =>
  (name: string, shown = name): FileColumn => {
    const { words, type } = fields[shown] ?? {};
    const format = type === 'number' || type === 'integer' ? formatNumber : formatValue;
    return {
      name,
      cell: ({ [shown]: value }) => (words === undefined ? format(value) : formatValue(toWord(words, value))),
    };
  };

/** The ids in a list of a record, which has them bare or in records. */
export const listIds = (items: unknown, ...keys: readonly string[]): readonly string[] => {
  if (!Array.isArray(items)) return [];
  const ids = items.map((item) =>
    toText(isRecord(item) ? keys.map((key) => item[key]).find((id) => id != null) : item),
  );
  return [...new Set(ids)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
};

export const listViewerProjects = ({ projects }: Row) => listIds(projects, 'project_id', 'id');
export const listAssignees = ({ assignees }: Row) => listIds(assignees, 'user_id', 'id');

/** Ids, and beside them what they are called. */
const createLink = (
  name: string,
  beside: string,
  list: (record: Row) => readonly string[],
  getName: (names: FolderNames) => (id: string) => string,
): readonly FileColumn[] => [
  { name, cell: (record) => list(record).join(',') },
  { name: beside, beside: name, cell: (record, names) => list(record).map(getName(names)).join(',') },
];

const listId = (field: string) => (record: Row) => (record[field] == null ? [] : [toText(record[field])]);
const projectOf = createLink('project_id', 'project.name', listId('project_id'), ({ project: name }) => name);
const memberOf = createLink('user_id', 'member.email', listId('user_id'), ({ member: email }) => email);

/** A rate that is the member's or the project's is none of the contract. */
const ownRate: FileColumn = {
  name: 'rate',
  cell: (record) => (hasOwnRate(record) ? formatNumber(record['rate']) : ''),
};

const [ofMember, ofProject, ofContract] = [member, project, contract].map(({ fields }) =>
  createField(fields),
) as [ReturnType<typeof createField>, ReturnType<typeof createField>, ReturnType<typeof createField>];
const [ofTask, ofViewer, ofWebhook] = [
  createField(task.fields),
  createField(viewer.fields),
  createField(webhook.fields),
];

/** Of a webhook. */
export const hasSecretAddress = ({ url }: Row): boolean =>
  maskAddress(toText(url ?? '')) !== toText(url ?? '');

const COLUMNS: Readonly<Record<FolderNoun, readonly FileColumn[]>> = {
  projects: [
    ofProject('id'),
    ofProject('name'),
    ofProject('start_date'),
    ofProject('deadline'),
    ofProject('estimation'),
    ofProject('budget', 'budget_estimation'),
    ofProject('notes'),
    ofProject('icon'),
  ],
  members: [
    ofMember('id'),
    ofMember('email'),
    ofMember('firstname'),
    ofMember('lastname'),
    ofMember('role', 'current_role'),
    ofMember('timezone'),
    ofMember('rate_status'),
    ofMember('weekly_hours_limit'),
  ],
  viewers: [
    ofViewer('id'),
    ofViewer('email'),
    ofViewer('firstname'),
    ofViewer('lastname'),
    ...createLink('projects', 'project.name', listViewerProjects, ({ project: name }) => name),
  ],
  contracts: [
    ofContract('id'),
    ...projectOf,
    ...memberOf,
    ofContract('weekly_hours_limit'),
    ofContract('screenshots'),
    ownRate,
    ofContract('status'),
  ],
  tasks: [
    ofTask('id'),
    ...projectOf,
    ofTask('title'),
    ofTask('description'),
    ofTask('status'),
    ofTask('priority'),
    ofTask('start_date'),
    ofTask('end_date'),
    ...createLink('assignees', 'member.email', listAssignees, ({ member: email }) => email),
  ],
  // Their tokens stay at the service, and so do addresses with secrets in them: an empty cell changes nothing.
  webhooks: [
    ofWebhook('id'),
    { name: 'url', cell: (record) => (hasSecretAddress(record) ? '' : formatValue(record['url'])) },
    ofWebhook('events'),
  ],
};

const MORE: Partial<Readonly<Record<FolderNoun, Pick<FolderFile, 'later' | 'links' | 'fixed'>>>> = {
  members: { later: ['timezone', 'rate_status', 'weekly_hours_limit'] },
  viewers: { later: ['projects'], links: 'projects', fixed: ['email', 'firstname', 'lastname'] },
  contracts: { later: ['status'], fixed: ['project_id', 'user_id'] },
  tasks: { links: 'assignees', fixed: ['project_id'] },
};

/** In the order in which their records depend on one another. */
export const FOLDER_FILES: readonly FolderFile[] = FOLDER_NOUNS.map((noun) => ({
  noun,
  file: `${noun}.csv`,
  columns: COLUMNS[noun],
  ...MORE[noun],
}));

/** The place of a file in a folder. */
export const placeFile = (folder: string, file: string): string =>
  `${folder.replace(/(?<=.)[/\\]+$/, '')}/${file}`;

export const createFolderNames = ({ projects, members, archived }: WorkspaceRecords): FolderNames => {
  const projectNames = new Map(projects.map(({ id, name }) => [toText(id), toText(name ?? '')]));
  const emails = new Map([...archived, ...members].map(({ id, email }) => [toText(id), toText(email ?? '')]));
  return { project: (id) => projectNames.get(id) ?? '', member: (id) => emails.get(id) ?? '' };
};

/** A record as its file has it. */
export const toCells = ({ columns }: FolderFile, record: Row, names: FolderNames): Record<string, string> =>
  Object.fromEntries(columns.map(({ name, cell }) => [name, cell(record, names)]));

/** A whole file: the same records give the same bytes. Its lines end as those of other files in a repository. */
export const formatFile = (file: FolderFile, records: WorkspaceRecords): string => {
  const names = createFolderNames(records);
  return formatCsv(
    file.columns.map(({ name }) => name),
    records[file.noun].map((record) => toCells(file, record, names)),
    '\n',
  );
};
