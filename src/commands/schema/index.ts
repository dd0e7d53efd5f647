import type { Command } from 'commander';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { withFacts } from '../command.ts';
import { commandAt, treeOf } from './tree.ts';

/** `ttctl schema`: what there is, for programs. */
export const schema = (command: Command, door: Door, whole: () => Promise<Command>): Command =>
  withFacts(command, {
    examples: ['ttctl schema', 'ttctl schema timesheets approve', 'ttctl schema --openapi'],
  })
    .argument('[command...]', 'only this command and what is below it')
    .option('--openapi', 'the OpenAPI 3.1 document of the service, in place of the commands')
    .action(
      run(door, async ({ output }, path, options) => {
        if (options.openapi === true) {
          if (path.length > 0) throw new UsageError('--openapi takes no command');
          const { openApi } = await import('../../api/openapi-document.ts');
          return output.document(openApi());
        }
        const found = commandAt(await whole(), path);
        if (found === undefined) {
          const hint = 'See what there is: ttctl --help';
          throw new UsageError(`there is no command ${path.join(' ')}`, { hint });
        }
        await output.document(treeOf(found));
      }),
    );
