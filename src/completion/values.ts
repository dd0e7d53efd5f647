import { type Command, getParentName } from '../cli/command.ts';
import { type Flag, formatLongFlag, isFlag, type Positional } from '../cli/flag.ts';
import { listChoices } from '../commands/convert.ts';
import { DAY_WORDS, PERIOD_WORDS } from '../parsing/calendar.ts';
import { findKindOfOperation, RECORD_KINDS, type RecordKind } from '../resources/kinds.ts';
import { ARCHIVED } from '../resources/resource.ts';
import { WEBHOOK_EVENTS } from '../resources/webhook.ts';
import type { PlainValue } from './plain.ts';

/**
 * What may stand for the value of a flag or an argument. The operation table tells it, or words that the command
 * offers, or its name: `<file>`, `<member>`.
 */

/** Values of flags by their long names, which are no command's own matter: `--seed`. */
export type KnownValues = Readonly<Record<string, PlainValue>>;

/** What the names of values and arguments mean. */
const BY_NAME: KnownValues = {
  ...Object.fromEntries(RECORD_KINDS.map((kind): [string, PlainValue] => [kind, { source: kind }])),
  'id or name': { source: 'workspace' },
  profile: { source: 'profile' },
  job: { source: 'job' },
  run: { source: 'run' },
  entry: { source: 'entry' },
  file: { files: 'files' },
  folder: { files: 'folders' },
  directory: { files: 'folders' },
  day: { words: DAY_WORDS },
  period: { words: PERIOD_WORDS },
  event: { words: WEBHOOK_EVENTS },
};

/** What the names of flags mean. */
const BY_LONG: KnownValues = {
  '--profile': { source: 'profile' },
  '--contract': { source: 'contract' },
  '--task': { source: 'task' },
  '--timezone': { source: 'time-zone' },
  '--webhook': { source: 'webhook' },
  '--event': { words: WEBHOOK_EVENTS },
};

/** What an `id` of an operation's command is the id of: a timesheet for those of `timesheets`. */
const getKind = (command: Command): RecordKind | undefined => {
  const { operation } = command;
  if (operation === undefined) return undefined;
  return findKindOfOperation(operation.id);
};

/** The state that a command's records have to be in; `undefined`: not archived. */
const getState = ({ from, name }: Command): string | undefined => {
  const states: Readonly<Record<string, string>> = { get: 'any', restore: ARCHIVED };
  return from ?? states[name];
};

const isSandbox = ({ path }: Command): boolean => path.startsWith('sandbox ');

/** A filter by address means somebody who is there; another address is new. */
const getPersonValue = ({ value, binding }: Flag, command: Command): PlainValue | undefined => {
  if (value !== 'email') return undefined;
  if (isSandbox(command)) return { source: 'sandbox-person' };
  const list = binding?.operation.id;
  if (list === 'members.list') return { source: 'member', state: 'any' };
  return list === 'viewers.list' ? { source: 'viewer', state: 'any' } : undefined;
};

const getIdValue = (command: Command): PlainValue | undefined => {
  const kind = getKind(command);
  return kind && { source: kind, state: 'any' };
};

/** By what the operation table or the command itself says. */
const getDeclaredValue = (taker: Flag | Positional): PlainValue | undefined => {
  const { binding, offers } = taker;
  const choices = binding === undefined ? [] : listChoices(binding.parameter);
  const fixed = isFlag(taker) ? taker.choices : undefined;
  const words = offers ?? fixed ?? (choices.length > 0 ? choices : undefined);
  if (words !== undefined) return { words };
  return binding?.lookup && { source: binding.lookup };
};

/** @param command absent: the flag is one of every command */
export const describeFlagValue = (
  flag: Flag,
  command: Command | undefined,
  known: KnownValues,
): PlainValue => {
  const long = formatLongFlag(flag);
  const commandValue = command && (long === '--id' ? getIdValue(command) : getPersonValue(flag, command));
  const value =
    getDeclaredValue(flag) ?? known[long] ?? BY_LONG[long] ?? commandValue ?? BY_NAME[flag.value ?? ''];
  // A flag that is collected takes several in one word too.
  return { ...value, ...(flag.repeatable === true || long === '--scope' ? { list: true } : {}) };
};

/** Positionals whose name alone does not say what they are. */
const getPositionalValue = ({ name }: Positional, command: Command): PlainValue | undefined => {
  const kind = getKind(command);
  const parent = getParentName(command);
  if (name === 'id' && kind !== undefined) return { source: kind };
  if (name === 'id' && parent === 'webhooks') return { source: 'delivery' };
  if (name === 'delivery' && isSandbox(command)) return { source: 'sandbox-delivery' };
  if (parent === 'snapshot' && command.name !== 'save') return { source: 'sandbox-snapshot' };
  if (name === 'token' && isSandbox(command)) return { source: 'sandbox-token' };
  if (name === 'command') return isSandbox(command) ? { files: 'programs' } : { source: 'command' };
  if (name === 'job' && command.name === 'resume') return { source: 'open-job' };
  return BY_NAME[name];
};

export const describePositionalValue = (positional: Positional, command: Command): PlainValue => {
  const value = getDeclaredValue(positional) ?? getPositionalValue(positional, command) ?? {};
  const state = getState(command);
  return { ...value, ...(value.source === undefined || state === undefined ? {} : { state }) };
};
