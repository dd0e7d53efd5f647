import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { variadic } from '../flags.ts';
import { buildSchemaDocument, findCommand } from './tree.ts';

/** `ttctl schema`: what there is, for programs. */
export const schema = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: ['ttctl schema', 'ttctl schema timesheets approve', 'ttctl schema members list --query prints'],
    prints: { shape: 'document', about: 'the commands, with flags, outputs and exit codes' },
    positionals: [variadic('command', 'only this command and its subcommands')],
    flags: [],
    run: async ({ output }, { targets: path, program }) => {
      const root = await program();
      const node = findCommand(root, path);
      if (node === undefined) {
        const hint = 'Run ttctl --help for all commands.';
        throw new UsageError(`there is no command ${path.join(' ')}`, { hint });
      }
      await output.document(buildSchemaDocument(node, root));
    },
  });
