import type { Argument, Command, Option } from 'commander';
import type { Operation } from '../../api/operation.ts';
import { factsOf } from '../command.ts';
import { type Bound, choicesOf, parameterOf } from '../options.ts';

/** The command tree as plain data: `ttctl schema`. Keys that have nothing to say are left out. */

type Json = Readonly<Record<string, unknown>>;

/** What the table says of a value: its type, its words, its range. */
const valueFacts = (binding: Bound | undefined): Json => {
  if (binding === undefined) return {};
  const { name, operation, parameter, lookup } = binding;
  const { type, required, min, max } = parameter;
  const choices = choicesOf(parameter);
  return {
    type,
    ...(choices.length === 0 ? {} : { choices }),
    ...(required ? { required: true } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(lookup === undefined ? {} : { lookup }),
    parameter: { operation: operation.id, name },
  };
};

const optionNode = (option: Option): Json => ({
  flags: option.flags,
  description: option.description,
  type: option.isBoolean() || option.negate ? 'boolean' : 'string',
  ...(option.defaultValue === undefined || option.negate ? {} : { default: option.defaultValue }),
  ...valueFacts(parameterOf(option)),
});

const argumentNode = (argument: Argument): Json => ({
  name: argument.name(),
  description: argument.description,
  required: argument.required,
  ...(argument.variadic ? { variadic: true } : {}),
  ...valueFacts(parameterOf(argument)),
});

const operationNode = ({ id, method, path, scope, roles }: Operation): Json => ({
  id,
  method,
  path,
  scope,
  roles,
});

/** A command with everything below it. `writes`: whether it may change something at the service. */
export const treeOf = (command: Command): Json => {
  const { operation, examples, writes = operation?.scope === 'write' } = factsOf(command);
  const children = command.commands.map(treeOf);
  return {
    name: command.name(),
    ...(command.aliases().length === 0 ? {} : { aliases: command.aliases() }),
    description: command.description(),
    ...(examples.length === 0 ? {} : { examples }),
    ...(command.registeredArguments.length === 0
      ? {}
      : { arguments: command.registeredArguments.map(argumentNode) }),
    ...(command.options.length === 0
      ? {}
      : { options: command.options.filter((option) => !option.hidden).map(optionNode) }),
    ...(operation === undefined ? {} : { operation: operationNode(operation) }),
    ...(children.length === 0 ? { writes } : { commands: children }),
  };
};

/** The command at the end of a path of names, or undefined. */
export const commandAt = (root: Command, path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>(
    (at, name) => at?.commands.find((child) => child.name() === name || child.aliases().includes(name)),
    root,
  );
