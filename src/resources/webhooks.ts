import { operations } from '../api/operations.ts';
import { WEBHOOK_EVENTS, webhook } from '../api/records.ts';
import { flag, secretsFlag } from '../commands/flags.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns } from './columns.ts';
import { defineResource } from './define.ts';

const { create, update } = operations.webhooks;
const column = createColumns(webhook.fields);

/** The list of the service may leave the token out; create and get give it (docs/service.md, Webhooks). */
const columns: readonly Column[] = [
  column('url', { least: 16 }),
  column('events', { least: 14, drop: 1 }),
  column('token', { sparse: true, drop: 2 }),
  column('id', { short: true }),
];

export const webhooks = defineResource('webhooks', {
  record: webhook,
  label: [column('url'), column('events'), column('id')],
  verbs: {
    list: { does: 'list', examples: ['ttctl webhooks list'], flags: [secretsFlag], columns },
    get: {
      does: 'get',
      examples: ['ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --show-secrets'],
      flags: [secretsFlag],
      columns,
    },
    create: {
      does: 'create',
      examples: ['ttctl webhooks create --url https://hooks.example.com/tt --event tracker.started'],
      alike: ['url', 'events'],
      byLikeness: true,
      likeness: 'this URL and these events',
      flags: [...createBodyFlags(create), secretsFlag],
      target: 'url',
      columns,
    },
    update: {
      does: 'update',
      examples: ['ttctl webhooks update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --event tracker.started'],
      flags: createBodyFlags(update),
    },
    delete: { does: 'delete', examples: ['ttctl webhooks delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'] },
  },
});

function createBodyFlags(operation: typeof create | typeof update) {
  const about = `event to send; repeat or separate with commas: ${WEBHOOK_EVENTS.join(', ')} or any other`;
  const events = { ...flag(operation, 'events', { as: 'event', about }), offers: WEBHOOK_EVENTS };
  return [flag(operation, 'url'), events] as const;
}
