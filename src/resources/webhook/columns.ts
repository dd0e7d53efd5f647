import type { Column } from '../../context.ts';

/** The list of the service may leave the token out; create and get give it (spec/api.md, Webhook). */
export const webhookColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'url', least: 16 },
  { field: 'events', kind: 'list', least: 14, drop: 1 },
  { field: 'token', kind: 'secret', sparse: true, drop: 2 },
];

/** A webhook in a few words, for questions. */
export const webhookWords: readonly Column[] = [
  { field: 'url' },
  { field: 'events', kind: 'list' },
  { field: 'id' },
];
