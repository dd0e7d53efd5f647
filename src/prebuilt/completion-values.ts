import type { Argument, Command, Option } from 'commander';
import { factsOf } from '../commands/command.ts';
import { choicesOf, parameterOf, repeated, wordsOffered } from '../commands/options.ts';
import type { PlainValue } from '../completion/plain.ts';
import { DAY_WORDS } from '../notation/calendar.ts';
import { PERIOD_WORDS } from '../notation/periods.ts';
import { KINDS, type Kind, kindOfOperation } from '../resources/kinds.ts';
import { ARCHIVED } from '../resources/resource.ts';
import { WEBHOOK_EVENTS } from '../resources/webhook.ts';

/**
 * What may stand for the value of a flag or an argument. The operation table tells it, or words that the command
 * offers, or its name: `<file>`, `<member>`.
 */

/** Values of flags by their long names, which are no command's own matter: `--seed`. */
export type Known = Readonly<Record<string, PlainValue>>;

/** What the names of values and arguments mean. */
const NAMED: Known = {
  ...Object.fromEntries(KINDS.map((kind): [string, PlainValue] => [kind, { source: kind }])),
  'id or name': { source: 'workspace' },
  profile: { source: 'profile' },
  job: { source: 'job' },
  file: { files: 'files' },
  folder: { files: 'folders' },
  directory: { files: 'folders' },
  day: { words: DAY_WORDS },
  period: { words: PERIOD_WORDS },
  event: { words: WEBHOOK_EVENTS },
};

/** What the names of flags mean. */
const BY_LONG: Known = {
  '--profile': { source: 'profile' },
  '--contract': { source: 'contract' },
  '--task': { source: 'task' },
  '--timezone': { source: 'time-zone' },
  '--webhook': { source: 'webhook' },
  '--event': { words: WEBHOOK_EVENTS },
};

/** What an `id` of an operation's command is the id of: a timesheet for those of `timesheets`. */
const kindOf = (command: Command): Kind | undefined => {
  const { operation } = factsOf(command);
  if (operation === undefined) return undefined;
  return kindOfOperation(operation.id);
};

/** The state that a command's records have to be in; `undefined`: not archived. */
const stateOf = (command: Command): string | undefined => {
  const states: Readonly<Record<string, string>> = { get: 'any', restore: ARCHIVED };
  return factsOf(command).from ?? states[command.name()];
};

const isSandbox = (command: Command): boolean =>
  command.name() === 'sandbox' || (command.parent !== null && isSandbox(command.parent));

/** A filter by address means somebody who is there; another address is new. */
const personOf = (option: Option, command: Command): PlainValue | undefined => {
  if (placeholderOf(option) !== 'email') return undefined;
  if (isSandbox(command)) return { source: 'sandbox-person' };
  const list = parameterOf(option)?.operation.id;
  if (list === 'members.list') return { source: 'member', state: 'any' };
  return list === 'viewers.list' ? { source: 'viewer', state: 'any' } : undefined;
};

const filterById = (command: Command): PlainValue | undefined => {
  const kind = kindOf(command);
  return kind && { source: kind, state: 'any' };
};

/** `role` of `--role <role>` */
export const placeholderOf = ({ flags }: Option): string => /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';

/** By what the operation table or the command itself says. */
const saidOf = (taker: Option | Argument): PlainValue | undefined => {
  const binding = parameterOf(taker);
  const choices = binding === undefined ? [] : choicesOf(binding.parameter);
  const words = wordsOffered(taker) ?? (choices.length > 0 ? choices : undefined);
  if (words !== undefined) return { words };
  return binding?.lookup && { source: binding.lookup };
};

/** A flag that is collected takes several in one word too. */
export const isCollected = (option: Option): boolean => option.parseArg === repeated || option.variadic;

export const valueOfOption = (option: Option, command: Command, known: Known): PlainValue => {
  const long = option.long ?? '';
  const value =
    saidOf(option) ??
    known[long] ??
    BY_LONG[long] ??
    (long === '--id' ? filterById(command) : personOf(option, command)) ??
    NAMED[placeholderOf(option)];
  return { ...value, ...(isCollected(option) || long === '--scope' ? { list: true } : {}) };
};

/** Arguments whose name alone does not say what they are. */
const argumentOf = (argument: Argument, command: Command): PlainValue | undefined => {
  const name = argument.name();
  const kind = kindOf(command);
  if (name === 'id' && kind !== undefined) return { source: kind };
  if (name === 'id' && command.parent?.name() === 'webhooks') return { source: 'delivery' };
  if (name === 'delivery' && isSandbox(command)) return { source: 'sandbox-delivery' };
  if (command.parent?.name() === 'snapshot' && command.name() !== 'save')
    return { source: 'sandbox-snapshot' };
  if (name === 'command') return isSandbox(command) ? { files: 'programs' } : { source: 'command' };
  if (name === 'job' && command.name() === 'resume') return { source: 'open-job' };
  return NAMED[name];
};

export const valueOfArgument = (argument: Argument, command: Command): PlainValue => {
  const value = saidOf(argument) ?? argumentOf(argument, command) ?? {};
  const state = stateOf(command);
  return { ...value, ...(value.source === undefined || state === undefined ? {} : { state }) };
};
