import { ARCHIVED } from '../api/fields.ts';
import { findKindOfOperation, RECORD_KINDS, WEBHOOK_EVENTS } from '../api/records.ts';
import { type Command, type CommandNode, isGroup } from '../cli/command.ts';
import { type Flag, formatLongFlag, type Positional, RAW } from '../cli/flag.ts';
import { loadProgram, ROOT } from '../cli/registry.ts';
import { listChoiceWords } from '../commands/flags.ts';
import { describeOutput } from '../commands/outputs.ts';
import { TOPICS } from '../help/page.ts';
import { DAY_WORDS, PERIOD_WORDS } from '../parsing/calendar.ts';
import type { PlainCommand, PlainFlag, PlainValue } from './shells.ts';

/** By what help calls a value: `<file>`, `<member>`; or by the flag. */
const KNOWN: Readonly<Record<string, PlainValue>> = {
  ...Object.fromEntries(RECORD_KINDS.map((kind): [string, PlainValue] => [kind, { source: kind }])),
  'id or name': { source: 'workspace' },
  profile: { source: 'profile' },
  file: { files: true },
  folder: { files: true },
  directory: { files: true },
  day: { words: DAY_WORDS },
  period: { words: PERIOD_WORDS },
  event: { words: WEBHOOK_EVENTS },
  '--contract': { source: 'contract' },
  '--task': { source: 'task' },
  '--profile': { source: 'profile' },
  '--timezone': { source: 'time-zone' },
  '--webhook': { source: 'webhook' },
  '--event': { words: WEBHOOK_EVENTS },
};

const POSITIONALS: Readonly<Record<string, PlainValue>> = {
  'sandbox exec <command>': { files: true },
  'schema <command>': { source: 'command' },
};

const FIELD_FLAGS: readonly string[] = ['columns', 'sort'];

/**
 * The commands as the plain tree that the completing process has. Run when ttctl is built, and by the tests. What may
 * stand for a value is told by the operation table, or by words that the command offers, or by its name.
 */
export async function buildCompletionTable(): Promise<PlainCommand> {
  const program = await loadProgram();
  const { SEEDS } = await import('../sandbox/seeds/seed.ts');
  const known = { '--seed': { words: SEEDS, files: true } } as const;
  const { commands = [], ...root } = toPlainCommand(program, known);
  const topics = { source: 'command', words: TOPICS.map(({ name }) => name) } as const;
  // Words that stand for commands without being some (main.ts).
  const words: readonly PlainCommand[] = [
    {
      name: 'help',
      about: 'show help for a command or topic',
      positionals: [{ value: topics, variadic: true }],
    },
    { name: 'version', about: 'print the version', positionals: [] },
  ];
  const flags = program.flags.map((flag) => toPlainFlag(flag, undefined, known));
  return {
    ...root,
    flags: [...flags, { name: 'help', short: 'h', about: 'show help' }],
    commands: [
      ...commands,
      ...words.filter(({ name }) => !commands.some((command) => command.name === name)),
    ],
  };
}

function toPlainCommand(node: CommandNode, known: Readonly<Record<string, PlainValue>>): PlainCommand {
  const { name, aliases, about, commands } = node;
  const plain = {
    name,
    ...(aliases.length > 0 && { aliases }),
    about,
    ...(commands && { commands: commands.map((child) => toPlainCommand(child, known)) }),
  };
  if (isGroup(node)) return plain;
  const { shape, fields = [] } = describeOutput(node) ?? {};
  const hasFields = fields.length > 0 && (shape === 'list' || shape === 'record');
  // What the command knows better than the program: the fields of its records.
  const fieldFlags = [
    ...node.flags.filter(({ value }) => value === 'field'),
    ...ROOT.flags.filter(({ name: flag }) => hasFields && FIELD_FLAGS.includes(flag)),
  ];
  const words = { ...known };
  if (hasFields) for (const flag of fieldFlags) words[formatLongFlag(flag)] = { words: fields };
  // As help has them: raw values last.
  const own = node.flags.toSorted((a, b) => Number(a.group === RAW) - Number(b.group === RAW));
  const flags = [...own, ...fieldFlags.filter((flag) => !node.flags.includes(flag))];
  return {
    ...plain,
    flags: flags.map((flag) => toPlainFlag(flag, node, words)),
    positionals: node.positionals.map((positional) => ({
      value: describePositional(positional, node),
      ...(positional.variadic === true && { variadic: true }),
    })),
  };
}

function toPlainFlag(
  flag: Flag,
  command: Command | undefined,
  known: Readonly<Record<string, PlainValue>>,
): PlainFlag {
  const { name, short, about, value, repeatable, binding } = flag;
  const long = formatLongFlag(flag);
  const kind = command?.operation && findKindOfOperation(command.operation.id);
  // A filter by address means somebody who is there; another address is new.
  const filtered = /^(member|viewer)s\.list$/.exec(binding?.operation.id ?? '')?.[1];
  let found = describeDeclared(flag) ?? known[long] ?? KNOWN[long];
  if (name === 'id') found ??= kind && { source: kind, state: 'any' };
  if (value === 'email' && filtered !== undefined)
    found ??= { source: filtered as 'member' | 'viewer', state: 'any' };
  found ??= KNOWN[value ?? ''];
  // A flag that is collected takes several in one word too.
  const list = (repeatable === true || long === '--scope') && { list: true as const };
  return {
    name,
    ...(short !== undefined && { short }),
    about,
    ...(value !== undefined && { value: { ...found, ...list } }),
    ...(repeatable === true && { repeatable }),
  };
}

function describeDeclared(source: Flag | Positional): PlainValue | undefined {
  const { binding, offers } = source;
  const words = offers ?? listChoiceWords(source);
  if (words.length > 0) return { words };
  return binding?.lookup && { source: binding.lookup };
}

function describePositional(positional: Positional, command: Command): PlainValue {
  const { name } = positional;
  const { operation, path } = command;
  const kind = name === 'id' ? operation && findKindOfOperation(operation.id) : undefined;
  const known = POSITIONALS[`${path} <${name}>`] ?? KNOWN[name] ?? {};
  const found = describeDeclared(positional) ?? (kind ? { source: kind } : known);
  const states: Readonly<Record<string, string>> = { get: 'any', restore: ARCHIVED };
  const state = command.from ?? states[command.name];
  return { ...found, ...(found.source !== undefined && state !== undefined && { state }) };
}
