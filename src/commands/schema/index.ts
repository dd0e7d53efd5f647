import type { Command } from 'commander';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { withFacts } from '../command.ts';
import { outputSchema } from './output-schema.ts';
import { commandAt, documentOf } from './tree.ts';

/** `ttctl schema`: what there is, for programs. */
export const schema = (command: Command, door: Door, whole: () => Promise<Command>): Command =>
  withFacts(command, {
    examples: [
      'ttctl schema',
      'ttctl schema timesheets approve',
      'ttctl schema members list --output-schema',
      'ttctl schema --openapi',
    ],
    prints: { shape: 'document', about: 'the commands, a JSON Schema, or the OpenAPI document' },
  })
    .argument('[command...]', 'only this command and what is below it')
    .option('--output-schema', 'the JSON Schema of what that command prints with --output json')
    .option('--openapi', 'the OpenAPI 3.1 document of the service, in place of the commands')
    .action(
      run(door, async ({ output }, path, options) => {
        if (options.openapi === true) {
          if (path.length > 0) throw new UsageError('--openapi takes no command');
          if (options.outputSchema === true)
            throw new UsageError('--openapi and --output-schema exclude each other');
          const { openApi } = await import('../../api/openapi-document.ts');
          return output.document(openApi());
        }
        const found = commandAt(await whole(), path);
        if (found === undefined) {
          const hint = 'See what there is: ttctl --help';
          throw new UsageError(`there is no command ${path.join(' ')}`, { hint });
        }
        await output.document(options.outputSchema === true ? outputSchema(found) : documentOf(found));
      }),
    );
