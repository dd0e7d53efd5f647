import { type Command, Option } from 'commander';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import { type Door, run } from '../../run.ts';
import { localCommand, SERVICE_EXITS, zoneOption } from '../command.ts';
import { repeated } from '../options.ts';
import { liveFields } from './delivery-fields.ts';
import { hostOption, ON, withHandOn, withStore } from './receiving-flags.ts';

const KNOWN = WEBHOOK_EVENTS.join(', ');

/** The flags of one heading. */
const withGroup = (command: Command, title: string, flags: readonly (readonly [string, string])[]) => {
  for (const [name, about] of flags) command.addOption(new Option(name, about).helpGroup(title));
  return command;
};

const command = () =>
  localCommand('listen', 'receive deliveries on this machine: show, keep and hand them on', {
    examples: [
      'ttctl --profile sandbox webhooks listen --create --event project.created',
      'ttctl webhooks listen --port 4748 --forward http://127.0.0.1:3000/hook',
      'ttctl webhooks listen --exec "jq .data" --limit 1 --output ndjson',
    ],
    writes: true,
    prints: { shape: 'list', fields: liveFields },
    exits: [...SERVICE_EXITS, 8, 9],
  })
    .option('--port <n>', 'port to listen on; 0 for any free one', '4748')
    .addOption(hostOption())
    .option('--path <path>', 'take deliveries at this path alone')
    .option('--event <name>', `only show and hand on these; all are kept: ${KNOWN} or any other`, repeated)
    .option('--show-body', 'show bodies whole')
    .option(
      '--limit <n>',
      'end after so many; exit 8, or the code of the failure, where one was not handed on',
    );

export const webhooksListen = (door: Door) => {
  const listen = withHandOn(withStore(command()));
  withGroup(listen, ON, [
    ['--forward-status', 'answer with the status of --forward, so that the sender tries again'],
  ]);
  withGroup(listen, 'Webhook of its own:', [
    ['--create', 'make a webhook for this listener, and delete it at the end'],
    ['--url <url>', 'the address the service reaches this listener at: of a tunnel, a proxy'],
  ]);
  withGroup(listen, 'Signatures:', [
    ['--webhook <id>', 'check them with the token of this webhook; else with TTCTL_WEBHOOK_TOKEN'],
    ['--token-stdin', 'check them with the token on stdin'],
    ['--require-signature', 'refuse what has no valid one: 401, and it is not kept'],
  ]);
  return listen.addOption(zoneOption()).action(
    run(door, async (context, _targets, options) => {
      const course = await import('./listening.ts');
      await course.listen(context, options);
    }),
  );
};
