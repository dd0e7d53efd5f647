import { Line } from '../cli/command.ts';
import { getOptionKey } from '../cli/flag.ts';
import { safeCell } from '../output/safe-text.ts';
import { type CompletionEnvironment, findCandidates } from './candidates.ts';
import type { Candidate, Completion, PlainCommand, PlainFlag, PlainLine, PlainValue } from './plain.ts';
import { SHELLS } from './shells.ts';

/**
 * `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it.
 * @param args the shell, then what its script hands over
 * @returns for stdout. Nothing for a shell that is not known. Never throws
 */
export function completeLine(
  [name = '', ...args]: readonly string[],
  tree: () => PlainCommand,
  environment: CompletionEnvironment,
): string {
  const shell = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
  if (shell === undefined) return '';
  try {
    const { words, typed, print } = shell(args, environment.env);
    const line = new Line<PlainFlag, PlainCommand>(tree(), words);
    const answer = completeAt(line, typed, environment);
    // A control in a word could press keys for whoever takes it, and what is hidden in one could mislead.
    const candidates = answer.candidates
      .filter(({ value }) => value !== '' && safeCell(value) === value)
      .map(({ value, about }) => ({ value, about: about && safeCell(about) }));
    return print({ ...answer, candidates });
  } catch {
    return '';
  }
}

const NOTHING: Completion = { what: 'values', kept: '', candidates: [] };

/**
 * @param line the words before the cursor's
 * @param typed the word that the cursor is in, up to the cursor
 */
function completeAt(line: PlainLine, typed: string, environment: CompletionEnvironment): Completion {
  const { open, ended, command, help, operands } = line;
  if (line.unknownCommand !== undefined) return NOTHING;
  if (open?.value !== undefined) return completeFlag(open, line, typed, environment);
  if (!ended && !help && typed.startsWith('-')) {
    const [word = '', before = ''] = /^(--[^=]*)=/s.exec(typed) ?? [];
    if (word === '') return completeFlagNames(line);
    const flag = line.findFlag(before);
    if (flag?.value === undefined) return NOTHING;
    const answer = completeFlag(flag, line, typed.slice(word.length), environment);
    return { ...answer, kept: word + answer.kept };
  }
  const { positionals = [] } = command;
  const commands = operands.length === 0 ? listCommands(command, typed) : [];
  if (command.commands !== undefined && (help || positionals.length === 0))
    return { what: 'commands', kept: '', candidates: commands };
  if (help) return NOTHING;
  const found = completeOperand(line, typed, environment);
  const candidates = [...found.candidates, ...commands];
  // Where no value is known, flags are what can follow.
  if (candidates.length === 0 && found.files === undefined && typed === '' && !ended)
    return completeFlagNames(line);
  return { ...found, candidates };
}

/** The value of a flag: what stands already of one that is repeated is not offered once more. */
function completeFlag(
  flag: PlainFlag,
  line: PlainLine,
  typed: string,
  environment: CompletionEnvironment,
): Completion {
  const given = line.flags.filter((one) => one.flag === flag && flag.repeatable === true);
  return completeValue(
    flag.value ?? {},
    line,
    typed,
    given.map(({ raw }) => String(raw)),
    environment,
  );
}

function completeOperand(line: PlainLine, typed: string, environment: CompletionEnvironment): Completion {
  const { command, operands, path } = line;
  const last = command.positionals?.at(-1);
  const positional = command.positionals?.[operands.length] ?? (last?.variadic === true ? last : undefined);
  if (positional === undefined) return NOTHING;
  const { value, variadic } = positional;
  if (value.source !== 'command') {
    // A program that is run has arguments of its own.
    const known = value.files === 'programs' && operands.length > 0 ? { files: 'files' as const } : value;
    return completeValue(known, line, typed, variadic === true ? operands : [], environment);
  }
  const named = new Line<PlainFlag, PlainCommand>(path[0], operands);
  const isKnown = named.path.length === operands.length + 1;
  const topics = operands.length === 0 ? (value.words ?? []) : [];
  const commands = isKnown ? listCommands(named.command, typed) : [];
  return {
    what: 'commands',
    kept: '',
    candidates: [...commands, ...topics.map((word) => ({ value: word }))],
  };
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
function completeFlagNames(line: PlainLine): Completion {
  const used = new Set(
    line.flags.filter(({ flag }) => !flag.repeatable).map(({ flag }) => getOptionKey(flag)),
  );
  const seen = new Set<string>();
  const candidates = line.listFlags().flatMap((flag): readonly Candidate[] => {
    const { name, short, about } = flag;
    if (seen.has(name) || used.has(getOptionKey(flag)) || (flag.alone && line.path.length > 1)) return [];
    seen.add(name);
    return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((value) => ({ value, about }));
  });
  return { what: 'options', kept: '', candidates };
}

/** @param taken what stands already and is not offered once more */
function completeValue(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  taken: readonly string[],
  environment: CompletionEnvironment,
): Completion {
  // What is kept of a list: the words before the last comma, and the sign that names of columns may have.
  const kept = value.list === true ? (/^(?:.*,)?[+-]?/.exec(typed)?.[0] ?? '') : '';
  const before = [...taken, kept].flatMap((text) =>
    value.list === true ? text.split(',').map((word) => word.replace(/^[+-]/, '')) : text,
  );
  const words = (value.words ?? []).map((word): Candidate => ({ value: word }));
  const found = findCandidates(value, line, typed.slice(kept.length), environment);
  const candidates = [...words, ...found].filter((candidate) => !before.includes(candidate.value));
  return { what: 'values', kept, candidates, ...(value.files && { files: value.files }) };
}
