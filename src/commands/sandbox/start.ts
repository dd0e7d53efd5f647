import { printChange } from '../../changes/report-one.ts';
import { defineCommand } from '../../cli/command.ts';
import type { SandboxServerInfo } from '../../context.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { parsePort } from '../port.ts';
import { formatServeFlags, readServeFlags, serveFlags } from './serve-flags.ts';
import { formatInspect } from './target.ts';

const EMBEDDED = `The profile sandbox is the embedded sandbox, not this server. To use this server: eval "$(ttctl sandbox env)"`;

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
    fields: ['url', 'base_url', 'auth_url', 'token_url', 'port', 'pid'],
  },
  flags: [
    { name: 'port', value: 'n', about: 'port to listen on; 0 for a free port', default: '4747' },
    { name: 'state', value: 'file', about: 'store the state in this file (default: in memory)' },
    { name: 'no-limits', about: 'disable rate limits', unsafe: true },
    ...serveFlags,
    { name: 'detach', about: 'serve in the background' },
  ],
  run: async ({ sandbox, output, settings, exit }, { options }) => {
    const service = await sandbox();
    const serveOptions = readServeFlags(options, parsePort('--port', options.port));
    const json = settings.output.value.errorsAsJson;
    const { from, name, value } = settings.baseUrl ?? {};
    const printReady = async (server: SandboxServerInfo): Promise<void> => {
      if (from === 'environment' && value !== server.base_url)
        output.warn(
          `${name} is ${value}. To use this server: eval "$(${commandLine`ttctl sandbox env --url ${server.url}`})"`,
        );
      if (settings.embedded) output.warn(EMBEDDED);
      if (json) return output.text(JSON.stringify(server));
      await output.text(`Sandbox ready at ${server.base_url} (process ${server.pid})`);
    };
    if (options.detach !== true) return exit(await service.serve(serveOptions, printReady));
    const server = await service.detach(formatServeFlags(serveOptions));
    const text = `a sandbox was started at ${server.base_url}`;
    await printChange({ output }, printReady(server), { text, inspectLine: formatInspect('status', server) });
  },
});
