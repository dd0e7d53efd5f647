import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { variadic } from '../flags.ts';
import { findDocument } from './documents.ts';
import { buildOutputSchema } from './output-schema.ts';
import { buildSchemaDocument, findCommand } from './tree.ts';

/** `ttctl schema`: what there is, for programs. */
export const schema = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: [
      'ttctl schema',
      'ttctl schema timesheets approve',
      'ttctl schema members list --output-schema',
      'ttctl schema --log-schema',
      'ttctl schema --openapi',
    ],
    prints: { shape: 'document', about: 'the commands, a JSON Schema or the OpenAPI document' },
    positionals: [variadic('command', 'only this command and its subcommands')],
    flags: [
      { name: 'output-schema', about: 'print the JSON Schema of that output' },
      { name: 'error-schema', about: 'the JSON Schema of an error' },
      { name: 'result-schema', about: 'the JSON Schema of the result of a target' },
      { name: 'job-schema', about: 'the JSON Schema of a bulk run' },
      { name: 'log-schema', about: 'the JSON Schema of a line of --log' },
      { name: 'openapi', about: 'the OpenAPI 3.1 document of the service' },
    ],
    run: async ({ output }, { targets: path, options, program }) => {
      const document = await findDocument(path, options);
      if (document !== undefined) return output.document(document);
      const root = await program();
      const node = findCommand(root, path);
      if (node === undefined) {
        const hint = 'Run ttctl --help for all commands.';
        throw new UsageError(`there is no command ${path.join(' ')}`, { hint });
      }
      await output.document(
        options.outputSchema === true ? buildOutputSchema(node) : buildSchemaDocument(node, root),
      );
    },
  });
