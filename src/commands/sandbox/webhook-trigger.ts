import { commandLine } from '../../notation/shell-word.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { deliveryFields, tellSent } from './delivery-columns.ts';
import { urlOf, withUrl } from './target.ts';

export const webhookTrigger = (door: Door) =>
  withUrl(
    localCommand('trigger', 'make an event up and send it; nothing in the sandbox changes', {
      examples: [
        'ttctl sandbox webhooks trigger tracker.started',
        'ttctl sandbox webhooks trigger project.created --data @project.json',
        'ttctl sandbox webhooks trigger my.event --webhook 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --data \'{"id":7}\'',
      ],
      prints: { shape: 'list', fields: deliveryFields },
      exits: [5, 7],
    }),
  )
    .argument('<event>', 'tracker.started, member.invited, project.created … or any other')
    .option('--webhook <id>', 'send to this one, whatever it subscribes to')
    .option('--data <json>', 'data of the event: JSON, @ and a file, or @- for stdin; default: of a record')
    .action(
      run(door, async ({ sandbox, output, settings, stdin }, [event = ''], options) => {
        const service = await sandbox();
        const given = options.data === '@-' ? await stdin() : options.data;
        const wish = {
          event,
          ...(options.webhook === undefined ? {} : { webhook: String(options.webhook) }),
          ...(given === undefined ? {} : { data: await service.value(String(given)) }),
        };
        const plan = settings.dryRun.value;
        const { known, meant, deliveries } = await service.control(urlOf(options)).trigger({ ...wish, plan });
        const doubt = meant === null ? '' : ` Did you mean ${meant}?`;
        if (!known) output.note(`The sandbox itself never sends ${event}.${doubt}`);
        if (deliveries.length === 0) {
          output.warn(`no webhook subscribes to ${event}, so nobody hears of it`);
          output.note(
            `Make one: ${commandLine`ttctl --profile sandbox webhooks create --event ${event} --url <address>`}`,
          );
        }
        await tellSent({ output, settings }, deliveries, options);
      }),
    );
