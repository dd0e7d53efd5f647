import type { Column } from '../../context.ts';

/** The list of the service may leave the token out; create and get give it (spec/api.md, Webhook). */
export const webhookColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'url' },
  { field: 'events', kind: 'list' },
  { field: 'token', kind: 'secret', drop: 1 },
];
