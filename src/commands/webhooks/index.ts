import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { writeMany, writeOne } from '../../changes/write.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { webhookColumns, webhookWords } from '../../resources/webhook/columns.ts';
import { WEBHOOK_EVENTS, webhook } from '../../resources/webhook.ts';
import { flag, listFlags, readFlags, secretsFlag, variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { createEventNotes } from './events.ts';
import { webhooksListen } from './listen.ts';
import { webhooksReceived } from './received.ts';
import { webhooksReplay } from './replay.ts';

export const webhooks = (noun: Noun): Group => ({
  ...noun,
  commands: [
    webhooksList,
    webhooksGet,
    webhooksCreate,
    webhooksUpdate,
    webhooksDelete,
    webhooksListen,
    webhooksReceived,
    webhooksReplay,
  ],
});

const { list, get, create, update, delete: remove } = operations.webhooks;

const webhooksList = defineCommand({
  path: 'webhooks list',
  operation: list,
  examples: ['ttctl webhooks list'],
  flags: [...listFlags(list), secretsFlag],
  run: async ({ api, output, window }, { values }) => {
    const view = { noun: webhook.words[1], columns: webhookColumns };
    await output.list(api.webhooks.list(values).pages(window), view);
  },
});

const webhooksGet = defineCommand({
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
});

const webhooksCreate = defineCommand({
  path: 'webhooks create',
  operation: create,
  examples: [
    'ttctl webhooks create --url https://hooks.example.com/tt --event tracker.started,tracker.stopped',
  ],
  flags: [...targetFlags(create, 'this URL and these events'), ...bodyFlags(create), secretsFlag],
  run: async (context, { values, options }) => {
    const noteEvents = createEventNotes(context);
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: webhook.words,
      values,
      call: (_, row) => {
        noteEvents(row.events ?? []);
        return context.api.webhooks.create(row);
      },
      target: ({ url }) => url,
      columns: webhookColumns,
      hint: ({ id }) =>
        `See its token with: ${context.commandLine`ttctl webhooks get ${id ?? placeholder('id')} --show-secrets`}`,
    });
  },
});

const webhooksUpdate = defineCommand({
  path: 'webhooks update',
  operation: update,
  examples: [
    'ttctl webhooks update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --url https://hooks.example.com/tt --event tracker.stopped',
  ],
  positionals: [{ name: 'id', about: 'id of the webhook', required: false }],
  flags: [...targetFlags(update), ...bodyFlags(update)],
  run: async (context, { values, targets: [id], options }) => {
    const noteEvents = createEventNotes(context);
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: webhook.words,
      values,
      record: { name: 'id', given: id },
      findId: createListedIdFinder(context),
      call: (webhookId, row) => {
        noteEvents(row.events ?? []);
        return context.api.webhooks.update({ ...row, webhookId });
      },
    });
  },
});

const webhooksDelete = defineCommand({
  path: 'webhooks delete',
  operation: remove,
  examples: ['ttctl webhooks delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  positionals: [variadic('id', 'ids of webhooks, or - to read them from stdin')],
  flags: [...targetFlags(remove)],
  run: async (context, { targets, options }) => {
    await writeMany(context, options, {
      targets,
      verb: ['delete', 'deleted'],
      noun: webhook.words,
      needsConfirmation: true,
      facts: ['This cannot be undone.'],
      findId: createListedIdFinder(context),
      call: (webhookId) => context.api.webhooks.delete({ webhookId }),
      shown: {
        columns: webhookWords,
        row: async (webhookId) => (await context.api.webhooks.get({ webhookId }).send()).data as Row,
      },
    });
  },
});

/** The fields of a webhook as flags, the same for create and update. */
function bodyFlags(operation: typeof create | typeof update) {
  const about = `event to send; repeat or separate with commas: ${WEBHOOK_EVENTS.join(', ')} or any other`;
  const events = { ...flag(operation, 'events', { as: 'event', about }), offers: WEBHOOK_EVENTS };
  return [flag(operation, 'url'), events] as const;
}

function createListedIdFinder(context: Context) {
  return createIdFinder(context, () => context.lists.pages(context.api.webhooks.list({})), webhookWords);
}
