import { arrayOf, boolean, integer, number, text } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import { INBOX_KINDS, type InboxKind } from '../../decide/item.ts';
import type { InboxFilter } from '../../decide/load-inbox.ts';
import { flag, memberFilter, periodFlag } from '../flags.ts';

/** Members of a row of the inbox, in JSON and for `--columns` (rows.ts). */
export const inboxRowFields = {
  kind: text,
  id: text,
  user_id: integer,
  member: text,
  email: text,
  date_from: text,
  date_to: text,
  start: text,
  end: text,
  hours: number,
  days: number,
  policy: text,
  is_paid: boolean,
  project: text,
  note: text,
  waiting_since: text,
  waiting_seconds: integer,
  warnings: arrayOf(text),
  warning_messages: arrayOf(text),
} as const;

export const inboxFields = Object.keys(inboxRowFields);

/** What was decided and not sent is offered by the next screen. */
export const discardFlag = {
  name: 'discard-draft',
  about: 'forget the decisions that were not sent',
  unsafe: true,
} as const;

/** Sections of its help. */
export const inboxDraft = {
  title: 'Drafts',
  text: 'If you quit, press Ctrl-C or lose the connection, your decisions are kept on this machine. The next ttctl inbox offers them, without those whose request is no longer waiting or has changed.',
} as const;

export const inboxUndo = {
  title: 'Undo',
  text: 'A decision that was sent cannot be undone: the API cannot reverse it. To have somebody else look first, press S and then p, which saves your decisions as a plan.',
} as const;

const { list } = operations.leaves;

/** The kinds as a flag of the table would have them. */
const kindFilter = {
  id: 'inbox',
  parameters: { kinds: { type: 'string[]', about: 'only these types', choices: INBOX_KINDS } },
} as const;

/** Which requests are meant. */
export const inboxFilters = [
  flag(kindFilter, 'kinds', { as: 'kind' }),
  { ...memberFilter(list), about: 'only requests of this member (id or e-mail)' },
  flag(list, 'date_from', { about: 'only requests for this day or later' }),
  flag(list, 'date_to', { about: 'only requests for this day or earlier' }),
  periodFlag,
];

/** What the flags say. @param values of the flags above */
export const readInboxFilter = (values: Readonly<Record<string, unknown>>): InboxFilter => ({
  kinds: (values.kinds as readonly InboxKind[] | undefined) ?? INBOX_KINDS,
  userIds: values.user_id as InboxFilter['userIds'],
  from: values.date_from as string | undefined,
  to: values.date_to as string | undefined,
});
