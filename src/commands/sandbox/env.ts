import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { urlOf, withUrl } from './target.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const sandboxEnv = (door: Door) =>
  withUrl(
    localCommand('env', 'print the variables that point a shell at the running server', {
      examples: ['ttctl sandbox env', 'ttctl sandbox env --output json'],
    }),
  ).action(
    run(door, async ({ sandbox, output, settings }, _targets, options) => {
      const variables = await (await sandbox()).variables(urlOf(options));
      if (settings.output.value !== 'table') return output.record({ ...variables });
      const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
      await output.text(lines.join('\n'));
    }),
  );
