import { ARCHIVED, isArchived } from '../api/fields.ts';
import { getNameField, type RecordKind } from '../api/kinds.ts';
import type { Row } from '../api/page.ts';
import { isNumber, toText } from '../json.ts';

/** What is kept of a record: what a person types for it, and a few words to know it by. Never a secret. */
export interface RecordEntry {
  readonly id: string;
  /** What people write in place of the id: an e-mail address, a name. */
  readonly word?: string | undefined;
  readonly about?: string | undefined;
  /** Absent: not known. */
  readonly state?: string | undefined;
  /** Ids of the project and of the person that it belongs to. */
  readonly project?: string | undefined;
  readonly member?: string | undefined;
}

const MAX_LENGTH = 80;

/** The text of a value, cut; `undefined` for none. */
const toShortText = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const words = String(value);
  if (words.length <= MAX_LENGTH) return words;
  const letters = [...words];
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join('')}…` : words;
};

/** What would be cut is no name that can be given. */
const toWord = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_LENGTH * 2 && value !== '' ? value : undefined;

const joinTexts = (one: unknown, other: unknown, glue: string): string | undefined => {
  const [before, after] = [toShortText(one), toShortText(other)];
  return before && after ? before + glue + after : before || after || undefined;
};

const getState = (row: Row, fallback?: string): string | undefined =>
  isArchived(row) || row['archived_at'] != null ? ARCHIVED : fallback;

/** The address without what may be a secret: user, password, query. */
const removeSecrets = (value: unknown): string | undefined => {
  try {
    const { origin, pathname } = new URL(toText(value));
    return origin + pathname;
  } catch {
    return undefined;
  }
};

type EntryDetails = Omit<RecordEntry, 'id' | 'word'>;

const describePerson = (row: Row): EntryDetails => ({
  about: joinTexts(row['firstname'], row['lastname'], ' '),
  state: getState(row, toShortText(row['status'])),
});

const describeNamed = (row: Row): EntryDetails => ({ state: getState(row) });

const describeOwned = (row: Row): EntryDetails => ({
  member: toShortText(row['user_id']),
  project: toShortText(row['project_id']),
  state: getState(row, toShortText(row['status'])),
});

const DETAILS: Readonly<Record<RecordKind, (row: Row) => EntryDetails>> = {
  member: describePerson,
  viewer: describePerson,
  project: describeNamed,
  policy: describeNamed,
  category: describeNamed,
  workspace: (row) => ({ about: toShortText(row['role']) }),
  contract: (row) => {
    const who = joinTexts(row['user_firstname'], row['user_lastname'], ' ') ?? toShortText(row['user_email']);
    return { ...describeOwned(row), about: joinTexts(who, row['project_name'], ', ') };
  },
  task: (row) => ({
    project: toShortText(row['project_id']),
    state: getState(row),
    about: toShortText(row['title']),
  }),
  timesheet: (row) => ({ ...describeOwned(row), about: joinTexts(row['date_from'], row['date_to'], ' to ') }),
  leave: (row) => ({ ...describeOwned(row), about: joinTexts(row['start_date'], row['end_date'], ' to ') }),
  'time-request': (row) => ({ ...describeOwned(row), about: joinTexts(row['start'], row['end'], ' to ') }),
  expense: (row) => ({ about: joinTexts(row['expense_name'], row['expense_date'] ?? row['date'], ', ') }),
  webhook: (row) => ({ about: removeSecrets(row['url']) }),
};

/** `undefined` for what has no id. */
export const toRecordEntry = (kind: RecordKind, row: Row): RecordEntry | undefined => {
  const id = toWord(toShortText(row['id']));
  if (id === undefined) return undefined;
  const name = getNameField(kind);
  return { id, ...(name === undefined ? {} : { word: toWord(row[name]) }), ...DETAILS[kind](row) };
};
