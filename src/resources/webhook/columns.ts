import { webhook } from '../../api/records.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns } from '../display/columns.ts';

const column = createColumns(webhook.fields);

/** The list of the service may leave the token out; create and get give it (docs/service.md, Webhooks). */
export const webhookColumns: readonly Column[] = [
  column('url', { least: 16 }),
  column('events', { least: 14, drop: 1 }),
  column('token', { sparse: true, drop: 2 }),
  column('id', { short: true }),
];

/** A webhook in a few words, for questions. */
export const webhookWords: readonly Column[] = [column('url'), column('events'), column('id')];
