import { defineCommand } from '../../cli/command.ts';
import { readServeFlags, serveFlags } from './serve-flags.ts';

export const sandboxExec = defineCommand({
  path: 'sandbox exec',
  about: 'run a command against a temporary sandbox',
  examples: ['ttctl sandbox exec -- npm test', 'ttctl sandbox exec --seed month-end -- sh ./approve-all.sh'],
  prints: { shape: 'text', about: 'the output of the command' },
  exits: [126, 127],
  positionals: [
    {
      name: 'command',
      about: 'command to run, after --; ttctl exits with its code',
      required: true,
      variadic: true,
    },
  ],
  flags: [
    {
      name: 'keep-state',
      about: 'let the command use your config, state and cache directory instead of temporary ones',
      unsafe: true,
    },
    {
      name: 'real-time',
      about: 'wait for rate limits in real time instead of advancing the clock of the sandbox',
    },
    ...serveFlags,
  ],
  run: async ({ sandbox, exit }, { targets: command, options: { realTime, keepState, ...options } }) => {
    const serveOptions = readServeFlags(options, 0);
    exit(
      await (await sandbox()).exec(command, {
        ...serveOptions,
        ...(realTime === true && { realTime }),
        ...(keepState === true && { keepState }),
      }),
    );
  },
});
