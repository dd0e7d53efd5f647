import {
  type CommandNode,
  type Group,
  isGroup,
  listCommands,
  listSubcommands,
  matchesName,
  type Program,
} from '../cli/command.ts';
import { alignOperands, type Flag, formatFlagTerm, formatLongFlag } from '../cli/flag.ts';
import { ROOT } from '../cli/registry.ts';
import { FORMAT_NAMES } from '../output/formats/formats.ts';
import { findNearest } from '../parsing/text.ts';
import { TOPICS } from './topics.ts';
import type { LineAnalysis } from './walk.ts';

/**
 * Words that are no command or flag, and what to do instead, as a sentence. For what some services have beyond the
 * documented operations (docs/service.md, Beyond the 58 operations): the line that reaches it.
 */
const sendRequest = (line: string): string => `It has no command of its own. Send the request: ttctl ${line}`;

const GUESSES: Readonly<Record<string, string>> = {
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

/**
 * @param path of the command or group, without `ttctl`
 * @param word what stands behind it: a command's name, or a flag with its hyphens
 */
const findGuess = (path: string, word: string): string | undefined => {
  const name = `${path} ${word}`.trim();
  return Object.hasOwn(GUESSES, name) ? GUESSES[name] : undefined;
};

/** What is wrong with the words of a command line, and what was probably meant. Nothing of it is ever run. */

interface Mistake {
  readonly what: string;
  readonly hint?: string;
}

/** The nearest word, or the only one that begins like it. */
export const suggestWord = (word: string, words: readonly string[]): string | undefined => {
  const beginning = words.filter((candidate) => word.length > 2 && candidate.startsWith(word));
  return beginning.length === 1 ? beginning[0] : findNearest(word, words);
};

/** The command below the group that was probably meant; a destructive one is never guessed. */
const suggestCommand = ({ commands }: Pick<Group, 'commands'>, word: string): string | undefined => {
  const byName = new Map(
    commands.flatMap((child) => [child.name, ...child.aliases].map((name) => [name, child])),
  );
  const near = suggestWord(word, [...byName.keys()]);
  const command = near === undefined ? undefined : byName.get(near);
  return command === undefined || isDestructive(command) ? undefined : near;
};

/** Commands of this name anywhere, but those that destroy: `login` is one of `auth`. */
const findElsewhere = (word: string, program: Program): readonly string[] =>
  listCommands(program)
    .filter((leaf) => !isDestructive(leaf) && leaf.path !== leaf.name && matchesName(leaf, word))
    .map(({ path }) => `ttctl ${path}`);

/** So many are offered; more would be a list to read. */
const MAX_SUGGESTIONS = 4;

const createCommandHint = (group: Group, word: string, program: Program): string => {
  const guess = findGuess(group.path, word);
  if (guess !== undefined) return guess;
  const near = suggestCommand(group, word);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (group !== program) return `Commands: ${group.commands.map(({ name }) => name).join(', ')}.`;
  const topic = suggestWord(
    word,
    TOPICS.map(({ name }) => name),
  );
  if (topic !== undefined) return `Help on this topic: ttctl help ${topic}`;
  const found = findElsewhere(word, program).slice(0, MAX_SUGGESTIONS);
  return found.length === 0 ? 'Run ttctl --help for all commands.' : `Did you mean ${found.join(', or ')}?`;
};

const HELP: Flag = { name: 'help', about: 'show help' };

const listFlags = (command: CommandNode): readonly Flag[] => [
  ...(isGroup(command) ? [] : command.flags),
  ...ROOT.flags,
  HELP,
];

/** What other command lines call it. */
const FLAG_SYNONYMS: Readonly<Record<string, string>> = {
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
};

const FORWARD =
  'advance only moves the clock forward: 15d, 2h30m. To set an earlier time: ttctl sandbox clock set <time>';

/** A duration with a sign before it is read as a flag. */
const findNegativeDurations = ({ command, operands }: LineAnalysis): readonly Mistake[] =>
  command.name !== 'advance'
    ? []
    : operands
        .filter((word) => /^-\d/.test(word))
        .map((word) => ({ what: `${word} would set the clock back`, hint: FORWARD }));

const stripHyphens = (flag: string): string => flag.replace(/^-+/, '');

/** The flag that was probably meant; one that is better written on purpose is never guessed. */
const suggestFlag = (word: string, flags: readonly Flag[]): string | undefined => {
  const other = FLAG_SYNONYMS[word];
  if (other !== undefined && flags.some((flag) => formatLongFlag(flag) === other.replace(/ .*/, '')))
    return other;
  const typed = stripHyphens(word);
  const beginning = flags.filter(({ name }) => typed.length > 2 && name.startsWith(typed));
  // One that begins like it is meant, not one that looks like it; where it may be an unsafe one, none is guessed.
  if (beginning.length > 1 && beginning.some((flag) => flag.unsafe === true)) return undefined;
  const near =
    beginning[0]?.name ??
    suggestWord(
      typed,
      flags.map(({ name }) => name),
    );
  const found = flags.find(({ name }) => name === near);
  return found === undefined || found.unsafe === true ? undefined : formatLongFlag(found);
};

const createFlagMistake = (command: CommandNode, word: string): Mistake => {
  const what = `unknown option '${word}'`;
  const guess = findGuess(command.path, word);
  if (guess !== undefined) return { what, hint: guess };
  const flags = listFlags(command);
  // It is one of the command's, and came before the command was named.
  if (flags.some((flag) => formatLongFlag(flag) === word))
    return { what, hint: `Write ${word} after ${command.path}.` };
  const near = suggestFlag(word, flags);
  return near === undefined ? { what } : { what, hint: `Did you mean ${near}?` };
};

/** Of a command that has verbs: `inbox dcide`. */
const suggestVerb = (command: CommandNode, word: string): Pick<Mistake, 'hint'> => {
  const near = suggestCommand({ commands: listSubcommands(command) }, word);
  return near === undefined ? {} : { hint: `Did you mean ${near}?` };
};

const findOperandMistakes = ({
  command,
  operands,
  unknownFlags,
  unknownCommand,
}: LineAnalysis): readonly Mistake[] => {
  if (unknownCommand !== undefined || isGroup(command)) return [];
  const { positionals, name } = command;
  const aligned = alignOperands(positionals, operands);
  const absent = positionals.filter(({ required }, index) => required && aligned[index] === undefined);
  const most = positionals.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : positionals.length;
  // The word after an unknown flag may be its value.
  const tooMany = operands.length > most && unknownFlags.length === 0;
  const extra = operands.slice(most).join(' ');
  return [
    ...absent.map((positional) => ({ what: `missing required argument '${positional.name}'` })),
    ...(tooMany
      ? [{ what: `too many arguments for '${name}': ${extra}`, ...suggestVerb(command, extra) }]
      : []),
  ];
};

/** @param program with every noun loaded */
export const findMistakes = (walk: LineAnalysis, program: Program): readonly Mistake[] => {
  const { command, unknownCommand, unknownFlags, bare } = walk;
  const group = command === ROOT ? program : command;
  return [
    ...(unknownCommand === undefined || !isGroup(group)
      ? []
      : [
          {
            what: `unknown command '${unknownCommand}'`,
            hint: createCommandHint(group, unknownCommand, program),
          },
        ]),
    ...unknownFlags.map((flag) => createFlagMistake(command, flag)),
    ...bare.map((flag) => ({ what: `option '${formatFlagTerm(flag)}' argument missing` })),
    ...findNegativeDurations(walk),
    ...findOperandMistakes(walk),
  ];
};

/** Verbs that take something away or decide about somebody's work. A verb means the same everywhere. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...['archive', 'delete', 'remove', 'unassign', 'approve', 'reject', 'submit', 'unsubmit'],
  ...['stop', 'reset', 'clear', 'logout', 'revoke'],
]);

/** Never offered for a word that was mistyped: who means it writes it. */
function isDestructive({ name }: { readonly name: string }): boolean {
  return DESTRUCTIVE.has(name);
}
