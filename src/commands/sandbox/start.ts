import { defineCommand } from '../../cli/command.ts';
import type { SandboxPlace, ServeOptions } from '../../context.ts';
import { commandLine } from '../../notation/shell-word.ts';
import { told } from '../planned.ts';
import { readPort } from '../port.ts';
import { wishFlags, wishOf } from './wish.ts';

/** The same wish as flags, for the process that serves. */
const flagsOf = ({ port, state, seed, dialect, limits, autoApprove, ...wish }: ServeOptions): string[] => [
  `--port=${port}`,
  ...(state === undefined ? [] : [`--state=${state}`]),
  ...(seed === undefined ? [] : [`--seed=${seed}`]),
  ...(dialect === undefined ? [] : [`--dialect=${dialect}`]),
  ...(limits === undefined ? [] : ['--no-limits']),
  ...(autoApprove === undefined ? [] : [`--auto-approve=${autoApprove}`]),
  ...(wish.allowWebhooksTo ?? []).map((host) => `--allow-webhooks-to=${host}`),
];

export const sandboxStart = defineCommand({
  path: 'sandbox start',
  about: 'serve a sandbox on 127.0.0.1 until it is stopped',
  examples: [
    'ttctl sandbox start',
    'ttctl sandbox start --port 0 --seed month-end --detach --json',
    'ttctl sandbox start --auto-approve nora@lindenhof.example',
  ],
  prints: {
    shape: 'record',
    fields: ['url', 'base_url', 'auth_url', 'token_url', 'page_url', 'port', 'pid'],
  },
  flags: [
    { name: 'port', value: 'n', about: 'port to listen on; 0 for any free one', default: '4747' },
    { name: 'state', value: 'file', about: 'keep the state in this file; without it, in memory' },
    ...wishFlags,
    { name: 'detach', about: 'serve in the background' },
  ],
  run: async ({ sandbox, output, settings, exit }, { options }) => {
    const desk = await sandbox();
    const wish = wishOf(options, readPort('--port', options.port));
    if (settings.dryRun.value) return output.record(...told(true, await desk.plan(wish, true)));
    const json = settings.output.value === 'json' || settings.output.value === 'ndjson';
    const { from, name, value } = settings.baseUrl ?? {};
    const tell = async (place: SandboxPlace): Promise<void> => {
      if (from === 'environment' && value !== place.base_url)
        output.warn(
          `${name} is ${value}: for this one eval "$(${commandLine`ttctl sandbox env --url ${place.url}`})"`,
        );
      if (settings.embedded)
        output.warn(
          `the profile sandbox means the one inside ttctl: for this one eval "$(ttctl sandbox env)"`,
        );
      if (json) return output.text(JSON.stringify(place));
      await output.text(`sandbox ready at ${place.base_url} (process ${place.pid})`);
      output.note(`Look at it: ${place.page_url}`);
    };
    if (options.detach === true) return tell(await desk.detach(flagsOf(wish)));
    exit(await desk.serve(wish, tell));
  },
});
