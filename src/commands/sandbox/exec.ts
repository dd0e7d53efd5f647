import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { told } from '../planned.ts';
import { wishOf, withWish } from './wish.ts';

export const sandboxExec = (door: Door) =>
  withWish(
    localCommand('exec', 'run a command against a sandbox of its own, then remove it', {
      examples: [
        'ttctl sandbox exec -- npm test',
        'ttctl sandbox exec --seed month-end -- sh ./approve-all.sh',
      ],
      prints: { shape: 'text', about: 'what the command prints' },
      exits: [126, 127],
    })
      .argument('<command...>', 'the command, after --; its exit code is the result')
      .option('--real-time', "let ttctl wait for the limits; by default it moves the sandbox's clock on"),
  ).action(
    run(door, async ({ sandbox, output, settings, exit }, command, { realTime, ...options }) => {
      const wish = wishOf(options, 0);
      if (settings.dryRun.value) {
        const { port: _port, ...plan } = await (await sandbox()).plan(wish, false);
        return output.record(...told(true, { command, ...plan }));
      }
      exit(await (await sandbox()).exec(command, realTime === true ? { ...wish, realTime } : wish));
    }),
  );
