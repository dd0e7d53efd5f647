import type { Argument, Command, Option } from 'commander';
import type { Operation } from '../../api/operation.ts';
import { EXIT_MEANING } from '../../outcome.ts';
import { answerOf, defaultOf, exitsOf, isRepeatable, wordsOf } from '../answers.ts';
import { factsOf } from '../command.ts';
import { parameterOf } from '../options.ts';

/** The command tree as plain data: `ttctl schema`. Keys that have nothing to say are left out. */

type Json = Readonly<Record<string, unknown>>;

/** Types of values by how help calls them; the others are text. */
const TYPES: Readonly<Record<string, string>> = {
  n: 'integer',
  seconds: 'number',
  day: 'date',
  time: 'datetime',
  email: 'email',
  url: 'url',
  uri: 'url',
  file: 'file',
};

const typeOf = (source: Option | Argument, placeholder: string | undefined): string =>
  parameterOf(source)?.parameter.type ?? TYPES[placeholder ?? ''] ?? 'string';

/** What the table says of a value: its range, and which parameter it is. */
const valueFacts = (source: Option | Argument): Json => {
  const choices = wordsOf(source);
  const binding = parameterOf(source);
  const { required, min, max } = binding?.parameter ?? {};
  return {
    ...(choices.length === 0 ? {} : { choices }),
    ...(required ? { required: true } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(binding?.lookup === undefined ? {} : { lookup: binding.lookup }),
    ...(binding === undefined ? {} : { parameter: { operation: binding.operation.id, name: binding.name } }),
  };
};

const optionNode = (option: Option): Json => {
  const placeholder = /<(.+)>/.exec(option.flags)?.[1];
  const usual = defaultOf(option);
  return {
    flags: option.flags,
    description: option.description,
    type: option.isBoolean() || option.negate ? 'boolean' : typeOf(option, placeholder),
    ...(usual === undefined ? {} : { default: usual }),
    ...(isRepeatable(option) ? { repeatable: true } : {}),
    ...(option.description.endsWith('; needed') ? { required: true } : {}),
    ...valueFacts(option),
  };
};

const argumentNode = (argument: Argument): Json => ({
  name: argument.name(),
  description: argument.description,
  ...(argument.variadic ? { variadic: true } : {}),
  type: typeOf(argument, undefined),
  ...valueFacts(argument),
  required: argument.required,
});

const operationNode = ({ id, method, path, scope, roles }: Operation): Json => ({
  id,
  method,
  path,
  scope,
  roles,
});

const optionNodes = ({ options }: Command): readonly Json[] =>
  options.filter(({ hidden }) => !hidden).map(optionNode);

/** What a command alone has: how it can end, what it prints, whether it may change something at the service. */
const leafNode = (command: Command): Json => {
  const { operation, writes = operation?.scope === 'write' } = factsOf(command);
  const answer = answerOf(command);
  return {
    ...(operation === undefined ? {} : { operation: operationNode(operation) }),
    writes,
    ...(answer === undefined ? {} : { prints: answer }),
    exit_codes: exitsOf(command),
  };
};

/** A command with everything below it. */
const treeOf = (command: Command): Json => {
  const { examples } = factsOf(command);
  const children = command.commands.map(treeOf);
  const aliases = command.aliases();
  return {
    name: command.name(),
    ...(aliases.length === 0 ? {} : { aliases }),
    description: command.description(),
    ...(examples.length === 0 ? {} : { examples }),
    ...(command.registeredArguments.length === 0
      ? {}
      : { arguments: command.registeredArguments.map(argumentNode) }),
    ...(command.options.length === 0 || command.parent === null ? {} : { options: optionNodes(command) }),
    ...(children.length === 0 ? leafNode(command) : { commands: children }),
  };
};

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** The document that `ttctl schema` prints: a command, and what holds for all of them. */
export const documentOf = (command: Command): Json => ({
  ...treeOf(command),
  global_options: optionNodes(rootOf(command)),
  exit_code_meanings: EXIT_MEANING,
});

/** The command at the end of a path of names, or undefined. */
export const commandAt = (root: Command, path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>(
    (at, name) => at?.commands.find((child) => child.name() === name || child.aliases().includes(name)),
    root,
  );
