import { defineCommand } from '../../cli/command.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { deliveryFields, printSentDeliveries } from './delivery-columns.ts';
import { urlFlag } from './target.ts';

export const webhookTrigger = defineCommand({
  path: 'sandbox webhooks trigger',
  about: 'send a made-up event without changing the sandbox',
  examples: [
    'ttctl sandbox webhooks trigger tracker.started',
    'ttctl sandbox webhooks trigger project.created --data @project.json',
    'ttctl sandbox webhooks trigger my.event --webhook 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --data \'{"id":7}\'',
  ],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [5, 7],
  positionals: [
    {
      name: 'event',
      about: 'event to send: tracker.started, member.invited, project.created or any other',
      required: true,
    },
  ],
  flags: [
    urlFlag,
    { name: 'webhook', value: 'id', about: 'send only to this webhook, whatever its events' },
    {
      name: 'data',
      value: 'json',
      about: 'data of the event: JSON, @file, or @- for stdin (default: a record)',
    },
  ],
  run: async ({ sandbox, output, stdin }, { targets: [event = ''], options }) => {
    const service = await sandbox();
    const rawData = options.data === '@-' ? await stdin() : options.data;
    const request = {
      event,
      ...(options.webhook === undefined ? {} : { webhook: options.webhook }),
      ...(rawData === undefined ? {} : { data: await service.value(rawData) }),
    };
    const { known, meant, deliveries } = await service.control(options.url).trigger(request);
    const suggestion = meant === null ? '' : ` Did you mean ${meant}?`;
    if (!known) output.note(`The sandbox itself never sends ${event}.${suggestion}`);
    if (deliveries.length === 0) {
      output.warn(`no webhook subscribes to ${event}, so nothing was sent`);
      output.note(
        `Create one: ${commandLine`ttctl --profile sandbox webhooks create --event ${event} --url <address>`}`,
      );
    }
    await printSentDeliveries({ output }, deliveries, options);
  },
});
