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
    { name: 'limits', about: 'apply the rate limits of the service' },
    ...serveFlags,
  ],
  run: async (
    { sandbox, exit },
    { targets: command, options: { keepState, limits = false, ...options } },
  ) => {
    const serveOptions = readServeFlags({ ...options, limits }, 0);
    exit(
      await (await sandbox()).exec(command, {
        ...serveOptions,
        ...(keepState === true && { keepState }),
      }),
    );
  },
});
