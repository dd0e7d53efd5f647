import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { wishOf, withWish } from './wish.ts';

export const sandboxExec = (door: Door) =>
  withWish(
    localCommand('exec', 'run a command against a sandbox of its own, then remove it', {
      examples: [
        'ttctl sandbox exec -- npm test',
        'ttctl sandbox exec --seed month-end -- sh ./approve-all.sh',
      ],
    }).argument('<command...>', 'the command, after --; its exit code is the result'),
  ).action(
    run(door, async ({ sandbox, exit }, command, options) => {
      exit(await (await sandbox()).exec(command, wishOf(options, 0)));
    }),
  );
