import { defineCommand } from '../../cli/command.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { sandboxStatusColumns, sandboxStatusFields, urlFlag } from './target.ts';

export const sandboxStatus = defineCommand({
  path: 'sandbox status',
  about: 'show the current sandbox and its contents',
  examples: ['ttctl sandbox status', 'ttctl sandbox status --output json'],
  prints: { shape: 'record', fields: sandboxStatusFields },
  exits: [7],
  flags: [urlFlag],
  run: async ({ sandbox, output }, { options }) => {
    const service = await sandbox();
    const status = await (await service.living(options.url)).status();
    const { secret: _secret, ...server } = service.running() ?? { secret: '', url: undefined };
    await output.record(
      { ...status, ...(status.kind === 'server' && server.url === status.url ? server : {}) },
      sandboxStatusColumns,
    );
    if (status.kind === 'embedded' && server.url !== undefined)
      output.note(`A server is also running: ${commandLine`ttctl sandbox status --url ${server.url}`}`);
  },
});
