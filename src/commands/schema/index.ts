import {
  type Command,
  type CommandNode,
  defineCommand,
  isGroup,
  matchesName,
  type Noun,
} from '../../cli/command.ts';
import { type Flag, formatDefault, formatFlagTerm, isRequired, type Positional } from '../../cli/flag.ts';
import { EXIT_MEANING, UsageError } from '../../errors.ts';
import { listChoiceWords, variadic } from '../flags.ts';
import { describeOutput, listExitCodes } from '../outputs.ts';

/** `ttctl schema`: what there is, for programs. Keys that have nothing to say are left out. */
export function schema(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl schema', 'ttctl schema timesheets approve', 'ttctl schema members list --query prints'],
    prints: { shape: 'document', about: 'the commands, with flags, outputs and exit codes' },
    positionals: [variadic('command', 'only this command and its subcommands')],
    flags: [],
    run: async ({ output }, { targets: path, program }) => {
      const root = await program();
      const node = path.reduce<CommandNode | undefined>(
        (parent, name) => parent?.commands?.find((child) => matchesName(child, name)),
        root,
      );
      if (node === undefined) {
        const hint = 'Run ttctl --help for all commands.';
        throw new UsageError(`there is no command ${path.join(' ')}`, { hint });
      }
      const shared = { global_options: root.flags.map(describeFlag), exit_code_meanings: EXIT_MEANING };
      await output.document({ ...describeNode(node), ...shared });
    },
  });
}

type Json = Readonly<Record<string, unknown>>;

/** Types of values by how help calls them; the others are text. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ n: 'integer', seconds: 'number', day: 'date', time: 'datetime', email: 'email' },
  ...{ url: 'url', uri: 'url', file: 'file' },
};

function describeNode(node: CommandNode): Json {
  const { name, aliases, about } = node;
  return {
    name,
    ...(aliases.length === 0 ? {} : { aliases }),
    description: about,
    ...(isGroup(node) ? {} : describeLeaf(node)),
    ...(node.commands === undefined ? {} : { commands: node.commands.map(describeNode) }),
  };
}

/** How it can end, what it prints, whether it may change something at the service. */
function describeLeaf(command: Command): Json {
  const { examples, operation, writes = operation?.scope === 'write', positionals, flags } = command;
  const output = describeOutput(command);
  const describePositional = (one: Positional): Json => ({
    name: one.name,
    description: one.about,
    ...(one.variadic === true ? { variadic: true } : {}),
    type: getType(one),
    ...describeValue(one),
    required: one.required,
  });
  const { id, method, path, scope, roles } = operation ?? {};
  return {
    ...(examples.length === 0 ? {} : { examples }),
    ...(positionals.length === 0 ? {} : { arguments: positionals.map(describePositional) }),
    ...(flags.length === 0 ? {} : { options: flags.map(describeFlag) }),
    ...(operation === undefined ? {} : { operation: { id, method, path, scope, roles } }),
    writes,
    ...(output === undefined ? {} : { prints: output }),
    exit_codes: listExitCodes(command),
  };
}

function getType({ binding }: Flag | Positional, valueName = ''): string {
  return binding?.parameter.type ?? TYPES[valueName] ?? 'string';
}

/** What the table says of a value: its range, and which parameter it is. */
function describeValue(source: Flag | Positional): Json {
  const choices = listChoiceWords(source);
  const { binding } = source;
  const { required, min, max } = binding?.parameter ?? {};
  return {
    ...(choices.length === 0 ? {} : { choices }),
    ...(required ? { required: true } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(binding?.lookup === undefined ? {} : { lookup: binding.lookup }),
    ...(binding === undefined ? {} : { parameter: { operation: binding.operation.id, name: binding.name } }),
  };
}

function describeFlag(flag: Flag): Json {
  const defaultValue = formatDefault(flag);
  return {
    flags: formatFlagTerm(flag),
    description: flag.about,
    type: flag.value === undefined ? 'boolean' : getType(flag, flag.value),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(flag.repeatable === true ? { repeatable: true } : {}),
    ...(isRequired(flag) ? { required: true } : {}),
    ...describeValue(flag),
  };
}
