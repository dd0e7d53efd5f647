import { Argument } from 'commander';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { needed } from '../options.ts';
import { withHandOn, withStore } from './receiving-flags.ts';
import { replay } from './replaying.ts';

/** Which ones is a question once it is known where to. */
const targets = (): Argument =>
  needed(
    new Argument('[id...]', 'ids of deliveries that were kept, or - for one a line on stdin'),
    'received',
    ({ forward, exec }) => forward !== undefined || exec !== undefined,
  );

export const webhooksReplay = (door: Door) =>
  withStore(
    withHandOn(
      localCommand('replay', 'hand deliveries on again as they came, marked ttctl-replay', {
        examples: [
          'ttctl webhooks replay msg_p5jXN8AQM9LWM0D4loKWxJek --forward http://127.0.0.1:3000/hook',
          'ttctl webhooks replay - --exec "jq .data"',
        ],
        prints: { shape: 'results' },
        exits: [6, 7, 8],
      }).addArgument(targets()),
    ),
  ).action(run(door, (context, targets, options) => replay(context, targets, options)));
