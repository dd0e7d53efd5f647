import {
  type CommandNode,
  type Group,
  isGroup,
  type Line,
  listCommands,
  matchesName,
  type Program,
} from '../cli/command.ts';
import {
  alignOperands,
  createRepeatError,
  type Flag,
  formatFlagTerm,
  formatLongFlag,
  getOptionKey,
} from '../cli/flag.ts';
import { checkGiven, combineErrors, findChoiceErrors, type GivenValue } from '../commands/values.ts';
import { EMPTY_SETTINGS, resolveSettings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import { FORMAT_NAMES } from '../output/formats/formats.ts';
import { findNearest } from '../parsing/text.ts';
import type { Machine } from '../platform/machine.ts';
import { formatHelpCommand } from './command-page.ts';
import { TOPICS } from './root-page.ts';

/** All that is wrong with a command line that leads to no command, and what was probably meant. Nothing of it is run. */

export type ReadLine = Line<Flag, CommandNode>;

interface Mistake {
  readonly what: string;
  readonly hint?: string;
}

/**
 * All of it, told together; `undefined` where the words themselves are in order.
 * @param program with every noun loaded
 */
export function findUsageError(line: ReadLine, program: Program, machine: Machine): UsageError | undefined {
  const mistakes = findMistakes(line, program);
  if (mistakes.length === 0) return undefined;
  const helpHint = `Run ${formatHelpCommand(line.command)} for all options.`;
  return combineErrors([
    ...mistakes.map(({ what, hint }) => new UsageError(what, { hint: hint ?? helpHint })),
    ...findRepeated(line).map(createRepeatError),
    ...findBadValues(line, machine),
  ]);
}

/** @param program with every noun loaded */
export function findMistakes(line: ReadLine, program: Program): readonly Mistake[] {
  const { command, unknownCommand, unknownFlags, bare } = line;
  const group = command.path === '' ? program : command;
  return [
    ...(unknownCommand === undefined || !isGroup(group)
      ? []
      : [
          {
            what: `unknown command '${unknownCommand}'`,
            hint: createCommandHint(group, unknownCommand, program),
          },
        ]),
    ...unknownFlags.map((flag) => createFlagMistake(line, flag)),
    ...bare.map((flag) => ({ what: `option '${formatFlagTerm(flag)}' argument missing` })),
    ...findNegativeDurations(line),
    ...findOperandMistakes(line),
  ];
}

/**
 * Words that are no command or flag, by where they stand, or flags anywhere: what to do instead as a sentence, or the
 * flag that other command lines call so. For what some services have beyond the documented operations
 * (docs/service.md, Other operations): the line that reaches it.
 */
const HINTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMAT_NAMES.map((format) => [`--${format}`, `--output ${format}`])),
  '--format': '--output',
  '--fields': '--columns',
  '--jq': '--query',
  '--page-size': '--per-page',
  '--data': '--input',
  '-d': '--input',
  '--request': '--method',
  '--verbose': '--debug',
  '-v': '--debug',
  '--reason': '--comment',
  '--comment': '--reason',
  reports: sendRequest(
    'api /reports/tracked-hours -X GET -f start_date=2026-11-01 -f end_date=2026-11-30 (also daily-timeline, task-report and activity-level)',
  ),
  'time-entries': sendRequest('api /time-entries -X GET -f user_id=17 -f date=2026-11-20'),
  'time-tracking start': sendRequest('api -X POST /time-tracking/start'),
  'time-tracking current': sendRequest('api /time-tracking/current-data'),
  'sandbox open':
    'The sandbox has no page to look at; use ttctl sandbox status, sandbox log and the lists of --profile sandbox.',
  'sandbox coverage': 'What is documented, found and assumed about the service is in docs/service.md.',
  'sandbox simulate':
    'People are not simulated. The seeds have a past of ten weeks; move time with ttctl sandbox clock advance 2w.',
  'sandbox exec --real-time': 'Waits are always in real time; without --limits there are none.',
  'schema --openapi':
    'There is no OpenAPI document any more. ttctl schema lists the commands with their operations.',
  'schema --output-schema': 'ttctl schema <command> names the fields of its output, under "prints".',
  ...Object.fromEntries(
    ['error', 'result', 'log', 'job'].map((name) => [
      `schema --${name}-schema`,
      `The schemas are files of the package: docs/schemas/${name}.json.`,
    ]),
  ),
  'api --slurp':
    '--paginate prints one array of all records. Whole pages are read one by one: ttctl api "/members?page=2"',
  'api --raw-field': 'Use -f: its values are text.',
  'members archive --with-open-items': 'Omit it: the question and --dry-run always show what is open.',
  'jobs remove': 'Old runs are removed from the history: ttctl history prune --older-than 180d',
  'jobs prune': 'Old runs are removed from the history: ttctl history prune --older-than 180d',
  ...Object.fromEntries(
    ['save', 'since'].map((flag) => [
      `close check --${flag}`,
      'Keep ttctl timesheets list --period last-month --output csv in git, and look at its diff.',
    ]),
  ),
  man: 'The manual is the help: ttctl help, ttctl help <command>, ttctl help <topic>.',
};

function sendRequest(line: string): string {
  return `It has no command of its own. Send the request: ttctl ${line}`;
}

/** Verbs that take something away or decide about somebody's work: never offered for a word that was mistyped. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...['archive', 'delete', 'remove', 'unassign', 'approve', 'reject', 'submit', 'unsubmit'],
  ...['stop', 'reset', 'clear', 'logout', 'revoke'],
]);

/** So many are offered; more would be a list to read. */
const MAX_SUGGESTIONS = 4;

function createCommandHint(group: Group, word: string, program: Program): string {
  const hint = findHint(group.path, word);
  if (hint !== undefined) return hint;
  const near = suggestCommand(group, word);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (group !== program) return `Commands: ${group.commands.map(({ name }) => name).join(', ')}.`;
  const topics = TOPICS.map(({ name }) => name);
  const topic = suggestWord(word, topics);
  if (topic !== undefined) return `Help on this topic: ttctl help ${topic}`;
  // Commands of this name anywhere: `login` is one of `auth`.
  const found = listCommands(program)
    .filter((leaf) => !DESTRUCTIVE.has(leaf.name) && leaf.path !== leaf.name && matchesName(leaf, word))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ path }) => `ttctl ${path}`);
  return found.length === 0 ? 'Run ttctl --help for all commands.' : `Did you mean ${found.join(', or ')}?`;
}

/**
 * @param path of the command or group, without `ttctl`
 * @param word what stands behind it: a command's name, or a flag with its hyphens
 */
function findHint(path: string, word: string): string | undefined {
  const name = `${path} ${word}`.trim();
  return Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
}

/** The command below the node that was probably meant; a destructive one is never guessed. */
function suggestCommand({ commands = [] }: CommandNode, word: string): string | undefined {
  const near = suggestWord(
    word,
    commands.flatMap((child) => [child.name, ...child.aliases]),
  );
  const command = commands.find((child) => near !== undefined && matchesName(child, near));
  return command === undefined || DESTRUCTIVE.has(command.name) ? undefined : near;
}

/** The nearest word, or the only one that begins like it. */
export function suggestWord(word: string, words: readonly string[]): string | undefined {
  const beginning = words.filter((candidate) => word.length > 2 && candidate.startsWith(word));
  return beginning.length === 1 ? beginning[0] : findNearest(word, words);
}

const HELP: Flag = { name: 'help', about: 'show help' };

function createFlagMistake(line: ReadLine, word: string): Mistake {
  const [name = '', value] = word.split('=', 2);
  if (value !== undefined && line.findFlag(name)) return { what: `option '${name}' takes no value` };
  const what = `unknown option '${word}'`;
  const hint = findHint(line.command.path, word);
  if (hint !== undefined && !/^-\S+( \S+)?$/.test(hint)) return { what, hint };
  const flags = [...line.listFlags(), HELP];
  // It is one of the command's, and came before the command was named.
  if (flags.some((flag) => formatLongFlag(flag) === word))
    return { what, hint: `Put ${word} after ${line.command.name}.` };
  const near = suggestFlag(word, flags);
  return near === undefined ? { what } : { what, hint: `Did you mean ${near}?` };
}

/** The flag that was probably meant; one that is better written on purpose is never guessed. */
function suggestFlag(word: string, flags: readonly Flag[]): string | undefined {
  const synonym = findHint('', word);
  if (synonym !== undefined && flags.some((flag) => formatLongFlag(flag) === synonym.replace(/ .*/, '')))
    return synonym;
  const typed = word.replace(/^-+/, '');
  const beginning = flags.filter(({ name }) => typed.length > 2 && name.startsWith(typed));
  // One that begins like it is meant, not one that looks like it; where it may be an unsafe one, none is guessed.
  if (beginning.length > 1 && beginning.some((flag) => flag.unsafe === true)) return undefined;
  const names = flags.map(({ name }) => name);
  const near = beginning[0]?.name ?? suggestWord(typed, names);
  const found = flags.find(({ name }) => name === near);
  return found === undefined || found.unsafe === true ? undefined : formatLongFlag(found);
}

const FORWARD =
  'advance only moves the clock forward: 15d, 2h30m. To set an earlier time: ttctl sandbox clock set <time>';

/** A duration with a sign before it is read as a flag. */
function findNegativeDurations({ command, operands }: ReadLine): readonly Mistake[] {
  const negative = command.name === 'advance' ? operands.filter((word) => /^-\d/.test(word)) : [];
  return negative.map((word) => ({ what: `${word} would set the clock back`, hint: FORWARD }));
}

function findOperandMistakes(line: ReadLine): readonly Mistake[] {
  const { command, operands, unknownFlags, unknownCommand } = line;
  if (unknownCommand !== undefined || isGroup(command)) return [];
  const { positionals, name } = command;
  const aligned = alignOperands(positionals, operands);
  const absent = positionals.filter(({ required }, index) => required && aligned[index] === undefined);
  const mistakes: Mistake[] = absent.map((one) => ({ what: `missing required argument '${one.name}'` }));
  const most = positionals.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : positionals.length;
  // The word after an unknown flag may be its value.
  if (operands.length <= most || unknownFlags.length > 0) return mistakes;
  const extra = operands.slice(most).join(' ');
  const near = suggestCommand(command, extra);
  const hint = near === undefined ? {} : { hint: `Did you mean ${near}?` };
  return [...mistakes, { what: `too many arguments for '${name}': ${extra}`, ...hint }];
}

function findRepeated({ flags }: ReadLine): readonly Flag[] {
  const single = flags
    .map(({ flag }) => flag)
    .filter(({ value, repeatable }) => value !== undefined && repeatable !== true);
  return [...new Set(single.filter((flag, at) => single.indexOf(flag) < at))];
}

/** Bad values of a line that never came as far as a command. */
function findBadValues({ command, flags }: ReadLine, { env, clock }: Machine): readonly UsageError[] {
  const values = new Map<Flag, unknown>();
  for (const { flag, raw } of flags) {
    const before = values.get(flag);
    values.set(flag, flag.repeatable === true ? [...(Array.isArray(before) ? before : []), raw] : raw);
  }
  const given = [...values].flatMap(([flag, raw]): GivenValue[] => {
    const { binding } = flag;
    return binding === undefined ? [] : [{ binding, raw, where: formatLongFlag(flag) }];
  });
  const own = command.flags ?? [];
  const makesProfile = !isGroup(command) && command.newProfile === true;
  const isSetting = (flag: Flag): boolean => makesProfile || command.path === '' || !own.includes(flag);
  const problems: UsageError[] = [];
  // Which profiles there are is not looked up: the settings file has no part in how a line is written.
  resolveSettings({
    flags: toOptions([...values].filter(([flag]) => isSetting(flag))),
    ...{ env, file: EMPTY_SETTINGS, newProfile: true, problems },
  });
  return [
    ...problems,
    ...checkGiven(given, { now: clock.now(), timeZone: () => 'UTC' }).problems,
    ...findChoiceErrors(own, toOptions([...values])),
  ];
}

function toOptions(values: readonly (readonly [Flag, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(values.map(([flag, raw]) => [getOptionKey(flag), raw]));
}
