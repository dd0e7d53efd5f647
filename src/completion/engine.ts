import { Line } from '../cli/command.ts';
import { getOptionKey } from '../cli/flag.ts';
import { safeCell } from '../output/safe-text.ts';
import { type CompletionEnvironment, createCandidateFinder } from './candidates.ts';
import type {
  Candidate,
  Completion,
  FindCandidates,
  PlainCommand,
  PlainFlag,
  PlainLine,
  PlainValue,
} from './plain.ts';
import {
  type ReadShellRequest,
  readBashRequest,
  readFishRequest,
  readPowershellRequest,
  readZshRequest,
} from './shells.ts';

/** `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it. */

const SHELLS: Readonly<Record<string, ReadShellRequest>> = {
  bash: readBashRequest,
  zsh: readZshRequest,
  fish: readFishRequest,
  powershell: readPowershellRequest,
};

/**
 * @param args the shell, then what its script hands over
 * @returns for stdout. Nothing for a shell that is not known. Never throws
 */
export function completeLine(
  [name = '', ...args]: readonly string[],
  tree: () => PlainCommand,
  surroundings: CompletionEnvironment,
): string {
  const shell = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
  if (shell === undefined) return '';
  try {
    const { words, typed, print } = shell(args, surroundings.env);
    const line = new Line<PlainFlag, PlainCommand>(tree(), words);
    const find = createCandidateFinder(surroundings);
    const answer = completeAt(line, typed, (...asked) => {
      try {
        return find(...asked);
      } catch {
        // What cannot be read now is not offered: that a settings file is damaged is told by the commands.
        return [];
      }
    });
    return print(limitCandidates(answer, typed));
  } catch {
    return '';
  }
}

const NOTHING: Completion = { what: 'values', kept: '', candidates: [] };

/**
 * @param line the words before the cursor's
 * @param typed the word that the cursor is in, up to the cursor
 */
function completeAt(line: PlainLine, typed: string, find: FindCandidates): Completion {
  const { open, ended, command, help, operands } = line;
  if (line.unknownCommand !== undefined) return NOTHING;
  if (open?.value !== undefined)
    return completeValue(open.value, line, typed, { find, taken: listTaken(line, open) });
  if (!ended && !help) {
    const equals = typed.startsWith('--') ? typed.indexOf('=') : -1;
    if (equals >= 0) return completeAttachedValue(line, typed, equals, find);
    if (typed.startsWith('-')) return { what: 'flags', kept: '', candidates: listFlags(line) };
  }
  const commands = operands.length === 0 ? listCommands(command, typed) : [];
  const takesWords = command.positionals !== undefined && command.positionals.length > 0;
  if (command.commands !== undefined && (help || !takesWords))
    return { what: 'commands', kept: '', candidates: commands };
  if (help) return NOTHING;
  const found = completeArgument(line, typed, find);
  const candidates = [...found.candidates, ...commands];
  // Where no value is known, flags are what can follow.
  if (candidates.length === 0 && found.files === undefined && typed === '' && !ended)
    return { what: 'flags', kept: '', candidates: listFlags(line) };
  return { ...found, candidates };
}

function listCommands({ commands = [] }: PlainCommand, typed: string): readonly Candidate[] {
  const candidates = commands.map(({ name, about }) => ({ value: name, about }));
  if (typed === '' || candidates.some(({ value }) => value.startsWith(typed))) return candidates;
  // Another name for the same is offered to whoever begins to write it.
  return commands.flatMap(({ aliases = [], about }) =>
    aliases.filter((alias) => alias.startsWith(typed)).map((value) => ({ value, about })),
  );
}

/** Nothing twice, and no contradictions. What a command says of a flag that all commands have comes first. */
function listFlags(line: PlainLine): readonly Candidate[] {
  const flags = line.listFlags();
  return flags.flatMap((flag, index): readonly Candidate[] => {
    const { name, short, about } = flag;
    if (flags.findIndex((other) => other.name === name) < index || isUsedUp(flag, line)) return [];
    return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((value) => ({ value, about }));
  });
}

function isUsedUp(flag: PlainFlag, { flags, path }: PlainLine): boolean {
  if (flag.alone && path.length > 1) return true;
  if (flag.repeatable) return false;
  return flags.some((given) => getOptionKey(given.flag) === getOptionKey(flag));
}

/** What stands already of a flag that is repeated, and is not offered once more. */
function listTaken({ flags }: PlainLine, flag: PlainFlag): readonly string[] {
  if (flag.repeatable !== true) return [];
  return flags.flatMap((given) => (given.flag === flag ? String(given.raw) : []));
}

/** @param asked.taken what stands already and is not offered once more */
function completeValue(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  { find, taken }: { readonly find: FindCandidates; readonly taken: readonly string[] },
): Completion {
  const isList = value.list === true;
  const comma = isList ? typed.lastIndexOf(',') + 1 : 0;
  // Names of columns may have a sign.
  const sign = isList && /^[+-]/.test(typed.slice(comma)) ? 1 : 0;
  const prefix = typed.slice(0, comma + sign);
  const before = new Set(
    [...taken, prefix].flatMap((text) =>
      isList ? text.split(',').map((word) => word.replace(/^[+-]/, '')) : text,
    ),
  );
  const words = (value.words ?? []).map((word): Candidate => ({ value: word }));
  const found = value.source === undefined ? [] : find(value, line, typed.slice(comma + sign));
  const candidates = [...words, ...found].filter((candidate) => !before.has(candidate.value));
  const files = value.files === undefined ? {} : { files: value.files };
  return { what: 'values', kept: prefix, candidates, ...files };
}

/** The value of a flag in the same word: `--role=reg`. */
function completeAttachedValue(
  line: PlainLine,
  typed: string,
  equals: number,
  find: FindCandidates,
): Completion {
  const flag = line.findFlag(typed.slice(0, equals));
  if (flag?.value === undefined) return NOTHING;
  const given = { find, taken: listTaken(line, flag) };
  const answer = completeValue(flag.value, line, typed.slice(equals + 1), given);
  return { ...answer, kept: typed.slice(0, equals + 1) + answer.kept };
}

function completeArgument(line: PlainLine, typed: string, find: FindCandidates): Completion {
  const { command, operands, path } = line;
  const { positionals = [] } = command;
  const last = positionals.at(-1);
  const positional = positionals[operands.length] ?? (last?.variadic === true ? last : undefined);
  if (positional === undefined) return NOTHING;
  const { value, variadic } = positional;
  if (value.source === 'command') {
    const named = new Line<PlainFlag, PlainCommand>(path[0], operands);
    const isKnown = named.path.length === operands.length + 1;
    const topics = operands.length === 0 ? (value.words ?? []) : [];
    const candidates = [
      ...(isKnown ? listCommands(named.command, typed) : []),
      ...topics.map((word): Candidate => ({ value: word })),
    ];
    return { what: 'commands', kept: '', candidates };
  }
  // A program that is run has arguments of its own.
  const inner = value.files === 'programs' && operands.length > 0 ? { files: 'files' as const } : value;
  return completeValue(inner, line, typed, { find, taken: variadic === true ? operands : [] });
}

/** More than anybody reads; what is typed chooses among them. */
const MAX_CANDIDATES = 1000;

function limitCandidates(answer: Completion, typed: string): Completion {
  // A control in a word could press keys for whoever takes it, and what is hidden in one could mislead.
  const harmless = answer.candidates.flatMap(({ value, about }): readonly Candidate[] =>
    value === '' || safeCell(value) !== value
      ? []
      : [{ value, ...(about === undefined ? {} : { about: safeCell(about) }) }],
  );
  if (harmless.length <= MAX_CANDIDATES) return { ...answer, candidates: harmless };
  const part = typed.slice(answer.kept.length).toLowerCase();
  const matching = harmless.filter(({ value }) => value.toLowerCase().includes(part));
  return { ...answer, candidates: matching.slice(0, MAX_CANDIDATES) };
}
