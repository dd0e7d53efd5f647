import { defineCommand } from '../../cli/command.ts';
import { quoteShellWord } from '../../parsing/shell-word.ts';
import { urlFlag } from './target.ts';

const variables = [
  'BASE_URL',
  'AUTH_URL',
  'TOKEN_URL',
  'TOKEN',
  'WORKSPACE',
  'PROFILE',
  'SANDBOX_SECRET',
  'RATE_LIMIT',
].map((name) => `TTCTL_${name}`);

export const sandboxEnv = defineCommand({
  path: 'sandbox env',
  about: 'print the variables that point a shell at the running server, with a token',
  examples: ['ttctl sandbox env', 'ttctl sandbox env --output json'],
  prints: { shape: 'record', fields: variables },
  exits: [7],
  flags: [urlFlag],
  run: async ({ sandbox, output, settings }, { options }) => {
    const values = await (await sandbox()).variables(options.url);
    if (settings.output.value.shape !== 'screen') return output.record({ ...values });
    const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoteShellWord(value)}`);
    await output.text(lines.join('\n'));
  },
});
