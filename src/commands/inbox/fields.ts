/** Members of a row of the inbox, in JSON and for `--columns` (rows.ts). */
export const inboxFields = [
  'kind',
  'id',
  'user_id',
  'member',
  'email',
  'date_from',
  'date_to',
  'start',
  'end',
  'hours',
  'days',
  'policy',
  'is_paid',
  'project',
  'note',
  'waiting_since',
  'waiting_seconds',
  'warnings',
  'warning_messages',
];

/** A section of its help. */
export const inboxUndo = {
  title: 'Undo',
  text: 'A decision that was sent cannot be undone: the API cannot take it back. To have somebody else look first, press S and then p, which saves your decisions as a plan.',
} as const;
