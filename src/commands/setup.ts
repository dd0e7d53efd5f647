export { doctor } from '../doctor/doctor.ts';

import type { Row } from '../api/page.ts';
import {
  type Command,
  type CommandNode,
  defineCommand,
  type Group,
  isGroup,
  matchesName,
  type Noun,
} from '../cli/command.ts';
import { type Flag, formatDefault, formatFlagTerm, isRequired, type Positional } from '../cli/flag.ts';
import { SCRIPTS, type Script } from '../completion/shells.ts';
import { EXIT_MEANING, UsageError } from '../errors.ts';
import { listChoiceWords, variadic } from './flags.ts';
import { describeOutput, listExitCodes } from './outputs.ts';

const NAMES: Readonly<Record<string, string>> = { powershell: 'PowerShell' };

export function completion(noun: Noun): Group {
  return { ...noun, commands: SCRIPTS.map(defineScriptCommand) };
}

function defineScriptCommand({ shell, text, install }: Script): Command {
  return defineCommand({
    path: `completion ${shell}`,
    about: `print the completion script for ${NAMES[shell] ?? shell}`,
    more: install.map(([location, line]) => ({ title: `Install ${location}`, commands: [line] })),
    prints: { shape: 'text', about: 'the completion script' },
    run: ({ output }) => output.text(text),
  });
}

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

const TYPES: Readonly<Record<string, string>> = {
  ...{ n: 'integer', seconds: 'number', day: 'date', time: 'datetime', email: 'email' },
  ...{ url: 'url', uri: 'url', file: 'file' },
};

function describeNode(node: CommandNode): Row {
  const { name, aliases, about, commands } = node;
  return {
    ...{ name, aliases: unlessEmpty(aliases), description: about },
    ...(isGroup(node) ? {} : describeLeaf(node)),
    commands: commands?.map(describeNode),
  };
}

function describeLeaf(command: Command): Row {
  const { examples, operation, writes = operation?.scope === 'write', positionals, flags } = command;
  const { id, method, path, scope, roles } = operation ?? {};
  return {
    examples: unlessEmpty(examples),
    arguments: unlessEmpty(
      positionals.map((one) => ({
        ...{ name: one.name, description: one.about, variadic: one.variadic || undefined },
        ...describeValue(one),
        required: one.required,
      })),
    ),
    options: unlessEmpty(flags.map(describeFlag)),
    operation: operation && { id, method, path, scope, roles },
    writes,
    prints: describeOutput(command),
    exit_codes: listExitCodes(command),
  };
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

function describeValue(source: Flag | Positional, valueName = ''): Row {
  const { binding } = source;
  const { required, min, max, type } = binding?.parameter ?? {};
  return {
    type: type ?? TYPES[valueName] ?? 'string',
    choices: unlessEmpty(listChoiceWords(source)),
    required: required || undefined,
    ...{ minimum: min, maximum: max, lookup: binding?.lookup },
    parameter: binding && { operation: binding.operation.id, name: binding.name },
  };
}

function describeFlag(flag: Flag): Row {
  return {
    ...{ flags: formatFlagTerm(flag), description: flag.about },
    ...{ default: formatDefault(flag), repeatable: flag.repeatable || undefined },
    ...describeValue(flag, flag.value),
    ...(flag.value === undefined && { type: 'boolean' }),
    required: isRequired(flag) || undefined,
  };
}
