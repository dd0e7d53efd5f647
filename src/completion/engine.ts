import { join } from 'node:path';
import { ARCHIVED, isInState as matchesState } from '../api/fields.ts';
import { isNamedKind, type RecordKind, timesheet } from '../api/records.ts';
import { Line } from '../cli/command.ts';
import { getOptionKey } from '../cli/flag.ts';
import { resolveDirectories } from '../config/environment.ts';
import { EMBEDDED_BASE, resolveSettings } from '../config/settings.ts';
import { readSettings } from '../config/store.ts';
import { safeCell } from '../output/safe-text.ts';
import { isRecordId } from '../parsing/names.ts';
import type { Machine } from '../platform/machine.ts';
import { findWorkspace, type RecordEntry, readEntries } from './names.ts';
import type { Candidate, Completion, PlainCommand, PlainFlag, PlainValue } from './shells.ts';
import { SHELLS } from './shells.ts';

type PlainLine = Line<PlainFlag, PlainCommand>;

type CompletionEnvironment = Pick<Machine, 'env' | 'platform' | 'home'>;

/**
 * `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it. Nothing is asked for and
 * nothing written.
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
    const answer = completeAt(new Line<PlainFlag, PlainCommand>(tree(), words), typed, environment);
    // A control in a word could press keys for whoever takes it, and what is hidden in one could mislead.
    const candidates = answer.candidates
      .filter(({ value }) => value !== '' && safeCell(value) === value)
      .map(({ value, about }) => ({ value, about: about && safeCell(about) }));
    return print({ ...answer, candidates });
  } catch {
    return '';
  }
}

const NOTHING: Completion = { kept: '', candidates: [] };

function completeAt(line: PlainLine, typed: string, environment: CompletionEnvironment): Completion {
  const { open, ended, command, help, operands, flags } = line;
  const completeFlag = (flag: PlainFlag, begun: string): Completion => {
    const taken = flags.flatMap((one) => (one.flag === flag && flag.repeatable ? String(one.raw) : []));
    return completeValue(flag.value ?? {}, line, begun, taken, environment);
  };
  if (line.unknownCommand !== undefined) return NOTHING;
  if (open?.value !== undefined) return completeFlag(open, typed);
  if (!ended && !help && typed.startsWith('-')) {
    const [word = '', name = ''] = /^(--[^=]*)=/s.exec(typed) ?? [];
    if (word === '') return completeFlagNames(line);
    const flag = line.findFlag(name);
    if (flag?.value === undefined) return NOTHING;
    const answer = completeFlag(flag, typed.slice(word.length));
    return { ...answer, kept: word + answer.kept };
  }
  const { positionals = [] } = command;
  const commands = operands.length === 0 ? listCommands(command, typed) : [];
  if (command.commands !== undefined && (help || positionals.length === 0))
    return { kept: '', candidates: commands };
  if (help) return NOTHING;
  const found = completeOperand(line, typed, environment);
  const candidates = [...found.candidates, ...commands];
  // Where no value is known, flags are what can follow.
  if (candidates.length === 0 && !found.files && typed === '' && !ended) return completeFlagNames(line);
  return { ...found, candidates };
}

function completeOperand(line: PlainLine, typed: string, environment: CompletionEnvironment): Completion {
  const { command, operands, path } = line;
  const last = command.positionals?.at(-1);
  const positional = command.positionals?.[operands.length] ?? (last?.variadic === true ? last : undefined);
  if (positional === undefined) return NOTHING;
  const { value, variadic } = positional;
  if (value.source !== 'command')
    return completeValue(value, line, typed, variadic === true ? operands : [], environment);
  const named = new Line<PlainFlag, PlainCommand>(path[0], operands);
  const topics = operands.length === 0 ? (value.words ?? []) : [];
  const commands = named.path.length === operands.length + 1 ? listCommands(named.command, typed) : [];
  return { kept: '', candidates: [...commands, ...topics.map((word) => ({ value: word }))] };
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
  const given = line.flags.filter(({ flag }) => !flag.repeatable);
  const used = new Set(given.map(({ flag }) => getOptionKey(flag)));
  const seen = new Set<string>();
  const candidates = line.listFlags().flatMap((flag): readonly Candidate[] => {
    const { name, short, about } = flag;
    if (seen.has(name) || used.has(getOptionKey(flag))) return [];
    seen.add(name);
    return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((value) => ({ value, about }));
  });
  return { kept: '', candidates };
}

function completeValue(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  taken: readonly string[],
  environment: CompletionEnvironment,
): Completion {
  const { words = [], list, files } = value;
  // What is kept of a list: the words before the last comma, and the sign that names of columns may have.
  const kept = list ? (/^(?:.*,)?[+-]?/.exec(typed)?.[0] ?? '') : '';
  const before = [...taken, kept].flatMap((text) =>
    list ? text.split(',').map((word) => word.replace(/^[+-]/, '')) : text,
  );
  let found: readonly Candidate[] = [];
  try {
    found = listSource(value, line, typed.slice(kept.length), environment);
  } catch {
    // What cannot be read now is not offered: that a settings file is damaged is told by the commands.
  }
  const all = [...words.map((word): Candidate => ({ value: word })), ...found];
  return { kept, candidates: all.filter((one) => !before.includes(one.value)), ...(files && { files }) };
}

function listSource(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  { env, platform, home }: CompletionEnvironment,
): readonly Candidate[] {
  const { source } = value;
  if (source === undefined || source === 'command') return [];
  if (source === 'time-zone')
    return ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone }));
  const { config, cache = '' } = resolveDirectories(env, platform, home);
  const file = readSettings(config && join(config, 'settings.json'));
  if (source === 'profile') {
    const sandbox = { base_url: 'run the whole service locally, for trials and tests' };
    const profiles = Object.entries({ ...file.profiles, sandbox: file.profiles.sandbox ?? sandbox });
    return profiles.map(([name, { base_url: about }]) => ({ value: name, about }));
  }
  // What else is in the environment may be wrong without harm.
  const { TTCTL_PROFILE, TTCTL_BASE_URL, TTCTL_WORKSPACE } = env;
  const { profile, embedded, baseUrl, workspace } = resolveSettings({
    flags: { profile: line.getValue('--profile'), workspace: line.getValue('--workspace') },
    env: { TTCTL_PROFILE, TTCTL_BASE_URL, TTCTL_WORKSPACE },
    file,
  });
  const scope = { profile: profile.value, base: baseUrl?.value ?? (embedded ? EMBEDDED_BASE : '') };
  const wanted = workspace?.value ?? (embedded ? findWorkspace(cache, scope) : undefined);
  const read = (kind: RecordKind): readonly RecordEntry[] => {
    const workspaces = () => readEntries(cache, 'workspace', { ...scope, workspace: '' });
    if (kind === 'workspace') return workspaces();
    const isMeant = ({ id, word = '' }: RecordEntry) =>
      id === wanted || word.toLowerCase() === wanted?.toLowerCase();
    const id = /^\d+$/.test(wanted ?? '') ? wanted : workspaces().find(isMeant)?.id;
    return id === undefined ? [] : readEntries(cache, kind, { ...scope, workspace: id });
  };
  return listRecords(source, value, typed, read);
}

const OWNED: ReadonlySet<RecordKind> = new Set(['timesheet', 'leave', 'time-request']);

/** Every record that matches, by its word, or by its id where no word means it or the id is what is being typed. */
function listRecords(
  kind: RecordKind,
  { state: expected, list }: PlainValue,
  typed: string,
  read: (kind: RecordKind) => readonly RecordEntry[],
): readonly Candidate[] {
  const entries = read(kind);
  if (entries.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { word = '' } of entries)
    counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
  // Whose it is, beside what the record says of itself.
  const ownerKind = OWNED.has(kind) ? 'member' : kind === 'task' ? 'project' : undefined;
  const owners = new Map(
    (ownerKind ? read(ownerKind) : []).map(({ id, about, word }) => [id, about ?? word]),
  );
  const matching = entries.filter((entry) => isInState(entry.state, expected));
  return matching.flatMap(({ id, word = '', about, state, ...entry }): readonly Candidate[] => {
    const owner = owners.get((ownerKind === 'project' ? entry.project : entry.member) ?? '');
    const details = kind === 'task' ? [about, owner] : [owner, about];
    if (OWNED.has(kind) && expected === undefined) details.push(state);
    const describe = (last: string) =>
      [...details, last].filter((part) => part?.trim()).join(', ') || undefined;
    const isAlone = counts.get(word.toLowerCase()) === 1 && !(list && word.includes(','));
    const isNamed = isAlone && isUsable(kind, word);
    const byWord = isNamed ? [{ value: word, about: describe(`id ${id}`) }] : [];
    const needsId = (!isNamed || (typed !== '' && id.startsWith(typed))) && !id.startsWith('-');
    return needsId ? [...byWord, { value: id, about: describe(word) }] : byWord;
  });
}

/** Nothing that hides in the line, moves it about, is a control, or would be taken for an id. */
function isUsable(kind: RecordKind, word: string): boolean {
  if (safeCell(word) !== word || word.trim() === '' || word.startsWith('-')) return false;
  return kind === 'workspace' ? !/^\d+$/.test(word) : isNamedKind(kind) && !isRecordId(kind, word);
}

function isInState(state: string | undefined, expected: string | undefined): boolean {
  if (expected === 'any') return true;
  if (expected === undefined || expected === ARCHIVED)
    return (state === ARCHIVED) === (expected === ARCHIVED);
  return state === undefined || matchesState(timesheet, { status: state }, expected);
}
