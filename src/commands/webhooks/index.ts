import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { WEBHOOK_EVENTS, webhook } from '../../api/records.ts';
import { createIdFinder } from '../../changes/select.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { webhookColumns, webhookWords } from '../../resources/webhook/columns.ts';
import { flag, readFlags, secretsFlag } from '../flags.ts';
import { defineCreate, defineDelete, defineListing, defineUpdate } from '../verbs.ts';
import { describeUnknownEvents } from './deliveries.ts';
import { webhooksListen } from './listen.ts';
import { webhooksReceived } from './received.ts';
import { webhooksReplay } from './replay.ts';

const { create, delete: remove, get, list, update } = operations.webhooks;

export const webhooks = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, webhook.words[1], {
      examples: ['ttctl webhooks list'],
      flags: [secretsFlag],
      columns: webhookColumns,
    }),
    defineCommand({
      path: 'webhooks get',
      operation: get,
      examples: [
        'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
        'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --show-secrets',
      ],
      positionals: [{ name: 'id', about: 'id of the webhook', required: true }],
      flags: [...readFlags(get), secretsFlag],
      run: async (context, { values, targets: [target = ''] }) => {
        const { api, output } = context;
        api.webhooks.get({ ...values, webhookId: target }).check('written');
        const findId = createIdFinder(context, () => api.webhooks.list({}).pages(), webhookWords);
        const { data } = await api.webhooks.get({ ...values, webhookId: await findId(target) }).send();
        await output.record(data as Row, webhookColumns);
      },
    }),
    defineCreate(create, webhook, {
      examples: [
        'ttctl webhooks create --url https://hooks.example.com/tt --event tracker.started,tracker.stopped',
      ],
      alike: 'this URL and these events',
      flags: [...createBodyFlags(create), secretsFlag],
      target: 'url',
      columns: webhookColumns,
      remark: describeUnknownEvents,
      hint: ({ commandLine }, { id }) =>
        `See its token with: ${commandLine`ttctl webhooks get ${id ?? placeholder('id')} --show-secrets`}`,
    }),
    defineUpdate(update, webhook, {
      examples: [
        'ttctl webhooks update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --url https://hooks.example.com/tt --event tracker.stopped',
      ],
      flags: createBodyFlags(update),
      ids: { list, columns: webhookWords },
      remark: describeUnknownEvents,
    }),
    defineDelete(
      remove,
      webhook,
      list,
      webhookWords,
      async (api, id) => (await api.webhooks.get({ webhookId: id }).send()).data ?? undefined,
    ),
    webhooksListen,
    webhooksReceived,
    webhooksReplay,
  ],
});

/** The fields of a webhook as flags, the same for create and update. */
function createBodyFlags(operation: typeof create | typeof update) {
  const about = `event to send; repeat or separate with commas: ${WEBHOOK_EVENTS.join(', ')} or any other`;
  const events = { ...flag(operation, 'events', { as: 'event', about }), offers: WEBHOOK_EVENTS };
  return [flag(operation, 'url'), events] as const;
}
