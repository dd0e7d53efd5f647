import { safeCell } from '../output/safe-text.ts';
import { createCandidateFinder } from './find-candidates.ts';
import type { Candidate, Completion, PlainCommand, PlainFlag, PlainValue } from './plain.ts';
import type { CompletionEnvironment } from './scope.ts';
import {
  type ReadShellRequest,
  readBashRequest,
  readFishRequest,
  readPowershellRequest,
  readZshRequest,
  type ShellRequest,
} from './shells.ts';
import {
  type FindCandidates,
  findChild,
  findPosition,
  listFlagOwners,
  listKnownFlags,
  type Position,
} from './walk.ts';

/** What may stand at a place of a command line. Pure; what changes with time comes through `find`. */

const NOTHING: Completion = { what: 'values', kept: '', candidates: [] };

const listCommandCandidates = ({ commands }: PlainCommand, typed: string): readonly Candidate[] => {
  const candidates = commands.map(({ name, about }) => ({ value: name, about }));
  if (typed === '' || candidates.some(({ value }) => value.startsWith(typed))) return candidates;
  // Another name for the same is offered to whoever begins to write it.
  return commands.flatMap(({ aliases = [], about }) =>
    aliases.filter((alias) => alias.startsWith(typed)).map((value) => ({ value, about })),
  );
};

/** Names below the command that the words name; for `help` and `schema`. */
const listSubcommands = (
  root: PlainCommand,
  words: readonly string[],
  typed: string,
): readonly Candidate[] => {
  const target = words.reduce<PlainCommand | undefined>((from, word) => from && findChild(from, word), root);
  return target === undefined ? [] : listCommandCandidates(target, typed);
};

const isUsedUp = (flag: PlainFlag, owner: PlainCommand, { given, path }: Position): boolean => {
  if (flag.alone && path.length > 1) return true;
  if (flag.repeat) return false;
  return owner.flags.some((other) => other.key === flag.key && given.has(other));
};

/** Nothing twice, and no contradictions. What a command says of a flag that all commands have comes first. */
const flagCandidates = (position: Position): readonly Candidate[] => {
  const own = new Map<string, Candidate[]>();
  for (const owner of listFlagOwners(position.path)) {
    for (const flag of owner.flags.filter(({ long }) => !own.has(long))) {
      const { long, short, about } = flag;
      const names = isUsedUp(flag, owner, position) ? [] : [long, ...(short === undefined ? [] : [short])];
      own.set(
        long,
        names.map((value) => ({ value, about })),
      );
    }
  }
  return [...own.values()].flat();
};

const completeFlags = (position: Position): Completion => ({
  what: 'flags',
  kept: '',
  candidates: flagCandidates(position),
});

/** `taken`: what stands already and is not offered once more. */
const completeValue = (
  value: PlainValue,
  position: Position,
  typed: string,
  { find, taken }: { readonly find: FindCandidates; readonly taken: readonly string[] },
): Completion => {
  const comma = value.list === true ? typed.lastIndexOf(',') + 1 : 0;
  // Names of columns may have a sign.
  const sign = value.list === true && /^[+-]/.test(typed.slice(comma)) ? 1 : 0;
  const prefix = typed.slice(0, comma + sign);
  const before = new Set(
    [...taken, prefix].flatMap((text) =>
      value.list === true ? text.split(',').map((word) => word.replace(/^[+-]/, '')) : text,
    ),
  );
  const words = (value.words ?? []).map((word): Candidate => ({ value: word }));
  const found = value.source === undefined ? [] : find(value, position, typed.slice(comma + sign));
  const candidates = [...words, ...found].filter((candidate) => !before.has(candidate.value));
  return {
    what: 'values',
    kept: prefix,
    candidates,
    ...(value.files === undefined ? {} : { files: value.files }),
  };
};

const findArgument = ({ arguments: all }: PlainCommand, index: number) => {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
};

const completeArgument = (position: Position, typed: string, find: FindCandidates): Completion => {
  const { command, positionals, path } = position;
  const argument = findArgument(command, positionals.length);
  if (argument === undefined) return NOTHING;
  const { value, variadic } = argument;
  if (value.source === 'command') {
    const [root = command] = path;
    const topics = positionals.length === 0 ? (value.words ?? []) : [];
    const candidates = [
      ...listSubcommands(root, positionals, typed),
      ...topics.map((word): Candidate => ({ value: word })),
    ];
    return { what: 'commands', kept: '', candidates };
  }
  // A program that is run has arguments of its own.
  const inner = value.files === 'programs' && positionals.length > 0 ? { files: 'files' as const } : value;
  return completeValue(inner, position, typed, { find, taken: variadic === true ? positionals : [] });
};

/** The value of a flag in the same word: `--role=reg`. */
const completeAttachedValue = (
  position: Position,
  typed: string,
  find: FindCandidates,
): Completion | undefined => {
  const equals = typed.indexOf('=');
  if (!typed.startsWith('--') || equals < 0) return undefined;
  const flag = listKnownFlags(position.path).find(({ long }) => long === typed.slice(0, equals));
  if (flag?.value === undefined) return NOTHING;
  const taken = flag.repeat === true ? (position.given.get(flag) ?? []) : [];
  const answer = completeValue(flag.value, position, typed.slice(equals + 1), { find, taken });
  return { ...answer, kept: typed.slice(0, equals + 1) + answer.kept };
};

/**
 * @param position where the words before the cursor's lead
 * @param typed the word that the cursor is in, up to the cursor
 */
const completeAt = (position: Position, typed: string, find: FindCandidates): Completion => {
  const { open, ended, command, help, given } = position;
  if (open?.value !== undefined) {
    const taken = open.repeat === true ? (given.get(open) ?? []) : [];
    return completeValue(open.value, position, typed, { find, taken });
  }
  if (!ended && !help) {
    const value = completeAttachedValue(position, typed, find);
    if (value !== undefined) return value;
    if (typed.startsWith('-')) return completeFlags(position);
  }
  const commands = position.positionals.length === 0 ? listCommandCandidates(command, typed) : [];
  if (command.commands.length > 0 && (help || command.arguments.length === 0))
    return { what: 'commands', kept: '', candidates: commands };
  if (help) return NOTHING;
  const found = completeArgument(position, typed, find);
  const answer = { ...found, candidates: [...found.candidates, ...commands] };
  const isEmpty = answer.candidates.length === 0 && answer.files === undefined;
  // Where no value is known, flags are what can follow.
  return isEmpty && typed === '' && !ended ? completeFlags(position) : answer;
};

/** `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it. */

const SHELLS: Readonly<Record<string, ReadShellRequest>> = {
  bash: readBashRequest,
  zsh: readZshRequest,
  fish: readFishRequest,
  powershell: readPowershellRequest,
};

/** More than anybody reads; what is typed chooses among them. */
const MAX_CANDIDATES = 1000;

/** A control in a word could press keys for whoever takes it, and what is hidden in one could mislead. */
const isHarmless = ({ value }: Candidate): boolean => value !== '' && safeCell(value) === value;

const sanitizeCandidate = ({ value, about }: Candidate): Candidate => ({
  value,
  ...(about === undefined ? {} : { about: safeCell(about) }),
});

const limitCandidates = (answer: Completion, typed: string): Completion => {
  const harmless = answer.candidates.filter(isHarmless).map(sanitizeCandidate);
  if (harmless.length <= MAX_CANDIDATES) return { ...answer, candidates: harmless };
  const part = typed.slice(answer.kept.length).toLowerCase();
  const matching = harmless.filter(({ value }) => value.toLowerCase().includes(part));
  return { ...answer, candidates: matching.slice(0, MAX_CANDIDATES) };
};

/** What cannot be read now is not offered: that a settings file is damaged is told by the commands. */
const withoutErrors =
  (find: FindCandidates): FindCandidates =>
  (...asked) => {
    try {
      return find(...asked);
    } catch {
      return [];
    }
  };

const complete = (
  { words, typed }: ShellRequest,
  table: PlainCommand,
  surroundings: CompletionEnvironment,
): Completion => {
  const position = findPosition(table, words);
  if (position === undefined) return NOTHING;
  return limitCandidates(
    completeAt(position, typed, withoutErrors(createCandidateFinder(surroundings))),
    typed,
  );
};

/**
 * @param args the shell, then what its script hands over
 * @returns for stdout. Nothing for a shell that is not known. Never throws
 */
export const completeLine = (
  [name = '', ...args]: readonly string[],
  table: () => PlainCommand,
  surroundings: CompletionEnvironment,
): string => {
  const shell = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
  if (shell === undefined) return '';
  try {
    const request = shell(args, surroundings.env);
    return request.print(complete(request, table(), surroundings));
  } catch {
    return '';
  }
};
