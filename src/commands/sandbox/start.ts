import { printWritten } from '../../changes/unprinted.ts';
import { defineCommand } from '../../cli/command.ts';
import type { SandboxPlace } from '../../context.ts';
import { commandLine } from '../../notation/shell-word.ts';
import { told } from '../planned.ts';
import { readPort } from '../port.ts';
import { lookAt } from './target.ts';
import { flagsOf, wishFlags, wishOf } from './wish.ts';

const EMBEDDED = `The profile sandbox is the one inside ttctl. To use this server: eval "$(ttctl sandbox env)"`;

export const sandboxStart = defineCommand({
  path: 'sandbox start',
  about: 'serve a sandbox on 127.0.0.1',
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
    { name: 'port', value: 'n', about: 'port to listen on; 0 for a free port', default: '4747' },
    { name: 'state', value: 'file', about: 'store the state in this file (default: in memory)' },
    ...wishFlags,
    { name: 'detach', about: 'serve in the background' },
  ],
  run: async ({ sandbox, output, settings, exit }, { options }) => {
    const service = await sandbox();
    const wish = wishOf(options, readPort('--port', options.port));
    if (settings.dryRun.value) return output.record(...told(true, await service.plan(wish, true)));
    const json = settings.output.value.errorsAsJson;
    const { from, name, value } = settings.baseUrl ?? {};
    const tell = async (place: SandboxPlace): Promise<void> => {
      if (from === 'environment' && value !== place.base_url)
        output.warn(
          `${name} is ${value}: for this one eval "$(${commandLine`ttctl sandbox env --url ${place.url}`})"`,
        );
      if (settings.embedded) output.warn(EMBEDDED);
      if (json) return output.text(JSON.stringify(place));
      await output.text(`Sandbox ready at ${place.base_url} (process ${place.pid})`);
      output.note(`Open its page: ${place.page_url}`);
    };
    if (options.detach !== true) return exit(await service.serve(wish, tell));
    const place = await service.detach(flagsOf(wish));
    const text = `a sandbox was started at ${place.base_url}`;
    await printWritten({ output }, tell(place), { text, look: lookAt('status', place) });
  },
});
