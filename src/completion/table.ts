import { ARCHIVED, findKindOfOperation, RECORD_KINDS, type RecordKind } from '../api/fields.ts';
import { WEBHOOK_EVENTS } from '../api/records.ts';
import { type Command, type CommandNode, isGroup } from '../cli/command.ts';
import {
  type Flag,
  formatLongFlag,
  getParentName,
  isFlag,
  type Positional,
  RAW,
  VERSION_FLAG,
} from '../cli/flag.ts';
import { loadProgram, ROOT } from '../cli/registry.ts';
import { describeOutput } from '../commands/outputs.ts';
import { listChoices } from '../commands/values.ts';
import { TOPICS } from '../help/root-page.ts';
import { DAY_WORDS, PERIOD_WORDS } from '../parsing/calendar.ts';
import type { PlainCommand, PlainFlag, PlainValue } from './plain.ts';

/**
 * What may stand for the value of a flag or an argument. The operation table tells it, or words that the command
 * offers, or its name: `<file>`, `<member>`.
 */

type KnownValues = Readonly<Record<string, PlainValue>>;

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

const BY_LONG: KnownValues = {
  '--profile': { source: 'profile' },
  '--contract': { source: 'contract' },
  '--task': { source: 'task' },
  '--timezone': { source: 'time-zone' },
  '--webhook': { source: 'webhook' },
  '--event': { words: WEBHOOK_EVENTS },
};

/**
 * The commands as the plain tree that the completing process has (completion/plain.ts). Run when ttctl is built, and by
 * the tests.
 */

const HELP: PlainFlag = { name: 'help', short: 'h', about: 'show help' };

/** Flags of the program that name fields of what a command prints. */
const FIELD_FLAGS: readonly string[] = ['columns', 'sort'];

export async function buildCompletionTable(): Promise<PlainCommand> {
  const program = await loadProgram();
  const known = await loadSandboxWords();
  const root = toCommandNode(program, known);
  const flags = [...program.flags.map((flag) => toFlagNode(flag, undefined, known)), HELP];
  const words = [
    createWordNode('help', 'show help for a command or topic', {
      source: 'command',
      words: TOPICS.map(({ name }) => name),
    }),
    createWordNode('version', 'print the version'),
  ].filter(({ name }) => root.commands?.every((command) => command.name !== name));
  return { ...root, flags, commands: [...(root.commands ?? []), ...words] };
}

function toCommandNode(node: CommandNode, known: KnownValues): PlainCommand {
  return {
    name: node.name,
    ...(node.aliases.length === 0 ? {} : { aliases: node.aliases }),
    about: node.about,
    ...(isGroup(node)
      ? { commands: node.commands.map((child) => toCommandNode(child, known)) }
      : toLeafNode(node, known)),
  };
}

function toLeafNode(
  command: Command,
  known: KnownValues,
): Pick<PlainCommand, 'flags' | 'positionals' | 'commands'> {
  const { shape, fields = [] } = describeOutput(command) ?? {};
  const hasFields = fields.length > 0 && (shape === 'list' || shape === 'record');
  const fieldFlags = [
    ...command.flags.filter(({ value }) => value === 'field'),
    // What the command knows better than the program: the fields of its records.
    ...ROOT.flags.filter(({ name }) => hasFields && FIELD_FLAGS.includes(name)),
  ];
  const words = {
    ...known,
    ...(hasFields && Object.fromEntries(fieldFlags.map((flag) => [formatLongFlag(flag), { words: fields }]))),
  };
  const isRaw = ({ group }: Flag): boolean => group === RAW;
  // As help has them: raw values last.
  const own = [...command.flags.filter((flag) => !isRaw(flag)), ...command.flags.filter(isRaw)];
  const flags = [...own, ...fieldFlags.filter((flag) => !command.flags.includes(flag))];
  return {
    flags: flags.map((flag) => toFlagNode(flag, command, words)),
    positionals: command.positionals.map((positional) => ({
      value: describePositionalValue(positional, command),
      ...(positional.variadic === true ? { variadic: true } : {}),
    })),
    ...(command.commands && { commands: command.commands.map((below) => toCommandNode(below, known)) }),
  };
}

function toFlagNode(flag: Flag, command: Command | undefined, known: KnownValues): PlainFlag {
  return {
    name: flag.name,
    ...(flag.short === undefined ? {} : { short: flag.short }),
    about: flag.about,
    ...(flag.value === undefined ? {} : { value: describeFlagValue(flag, command, known) }),
    ...(flag.repeatable === true ? { repeatable: true } : {}),
    // It is the program's version, and would be taken for that of the command.
    ...(flag === VERSION_FLAG ? { alone: true } : {}),
  };
}

/** @param command absent: the flag is one of every command */
function describeFlagValue(flag: Flag, command: Command | undefined, known: KnownValues): PlainValue {
  const long = formatLongFlag(flag);
  const commandValue = command && getCommandValue(flag, command);
  const value =
    getDeclaredValue(flag) ?? known[long] ?? BY_LONG[long] ?? commandValue ?? BY_NAME[flag.value ?? ''];
  // A flag that is collected takes several in one word too.
  return { ...value, ...(flag.repeatable === true || long === '--scope' ? { list: true } : {}) };
}

/** A filter by address means somebody who is there; another address is new. */
function getCommandValue({ name, value, binding }: Flag, command: Command): PlainValue | undefined {
  const kind = getKind(command);
  if (name === 'id') return kind && { source: kind, state: 'any' };
  if (value !== 'email') return undefined;
  if (isSandbox(command)) return { source: 'sandbox-person' };
  const list = binding?.operation.id;
  if (list === 'members.list') return { source: 'member', state: 'any' };
  return list === 'viewers.list' ? { source: 'viewer', state: 'any' } : undefined;
}

/** What an `id` of an operation's command is the id of: a timesheet for those of `timesheets`. */
function getKind({ operation }: Command): RecordKind | undefined {
  return operation && findKindOfOperation(operation.id);
}

function isSandbox({ path }: Command): boolean {
  return path.startsWith('sandbox ');
}

/** By what the operation table or the command itself says. */
function getDeclaredValue(taker: Flag | Positional): PlainValue | undefined {
  const { binding, offers } = taker;
  const choices = binding === undefined ? [] : listChoices(binding.parameter);
  const fixed = isFlag(taker) ? taker.choices : undefined;
  const words = offers ?? fixed ?? (choices.length > 0 ? choices : undefined);
  if (words !== undefined) return { words };
  return binding?.lookup && { source: binding.lookup };
}

function describePositionalValue(positional: Positional, command: Command): PlainValue {
  const value = getDeclaredValue(positional) ?? getPositionalValue(positional, command) ?? {};
  const states: Readonly<Record<string, string>> = { get: 'any', restore: ARCHIVED };
  const state = command.from ?? states[command.name];
  return { ...value, ...(value.source === undefined || state === undefined ? {} : { state }) };
}

/** Positionals whose name alone does not say what they are. */
function getPositionalValue({ name }: Positional, command: Command): PlainValue | undefined {
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
}

async function loadSandboxWords(): Promise<KnownValues> {
  const { SEEDS } = await import('../sandbox/seeds/seed.ts');
  const { DIALECT_CHOICES } = await import('../sandbox/dialect.ts');
  const dialects = Object.entries(DIALECT_CHOICES).flatMap(([name, words]) =>
    words.map((word) => `${name}=${word}`),
  );
  return { '--seed': { words: SEEDS, files: 'files' }, '--dialect': { words: dialects, list: true } };
}

/** Words that stand for commands without being some (main.ts). */
function createWordNode(name: string, about: string, value?: PlainValue): PlainCommand {
  return {
    name,
    about,
    positionals: value === undefined ? [] : [{ value, variadic: true }],
  };
}
