import type { Row } from '../api/page.ts';
import { isNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { getNameField, type RecordKind } from '../resources/kinds.ts';
import { ARCHIVED, isArchived } from '../resources/resource.ts';

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

const MOST_LETTERS = 80;

/** The text of a value, cut; `undefined` for none. */
const text = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const words = String(value);
  if (words.length <= MOST_LETTERS) return words;
  const letters = [...words];
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : words;
};

/** What would be cut is no name that can be given. */
const whole = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MOST_LETTERS * 2 && value !== '' ? value : undefined;

const joined = (one: unknown, other: unknown, glue: string): string | undefined => {
  const [before, after] = [text(one), text(other)];
  return before && after ? before + glue + after : before || after || undefined;
};

const archived = (row: Row, otherwise?: string): string | undefined =>
  isArchived(row) || row['archived_at'] != null ? ARCHIVED : otherwise;

/** The address without what may be a secret: user, password, query. */
const plainAddress = (value: unknown): string | undefined => {
  try {
    const { origin, pathname } = new URL(toText(value));
    return origin + pathname;
  } catch {
    return undefined;
  }
};

type Facts = Omit<RecordEntry, 'id' | 'word'>;

const person = (row: Row): Facts => ({
  about: joined(row['firstname'], row['lastname'], ' '),
  state: archived(row, text(row['status'])),
});

const named = (row: Row): Facts => ({ state: archived(row) });

const owned = (row: Row): Facts => ({
  member: text(row['user_id']),
  project: text(row['project_id']),
  state: archived(row, text(row['status'])),
});

const FACTS: Readonly<Record<RecordKind, (row: Row) => Facts>> = {
  member: person,
  viewer: person,
  project: named,
  policy: named,
  category: named,
  workspace: (row) => ({ about: text(row['role']) }),
  contract: (row) => {
    const who = joined(row['user_firstname'], row['user_lastname'], ' ') ?? text(row['user_email']);
    return { ...owned(row), about: joined(who, row['project_name'], ', ') };
  },
  task: (row) => ({ project: text(row['project_id']), state: archived(row), about: text(row['title']) }),
  timesheet: (row) => ({ ...owned(row), about: joined(row['date_from'], row['date_to'], ' to ') }),
  leave: (row) => ({ ...owned(row), about: joined(row['start_date'], row['end_date'], ' to ') }),
  'time-request': (row) => ({ ...owned(row), about: joined(row['start'], row['end'], ' to ') }),
  expense: (row) => ({ about: joined(row['expense_name'], row['expense_date'] ?? row['date'], ', ') }),
  webhook: (row) => ({ about: plainAddress(row['url']) }),
};

/** `undefined` for what has no id. */
export const toRecordEntry = (kind: RecordKind, row: Row): RecordEntry | undefined => {
  const id = whole(text(row['id']));
  if (id === undefined) return undefined;
  const name = getNameField(kind);
  return { id, ...(name === undefined ? {} : { word: whole(row[name]) }), ...FACTS[kind](row) };
};
