import { RESTORES } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import {
  type CommandNode,
  type Group,
  isGroup,
  type Line,
  listCommands,
  matchesName,
  type Program,
} from '../cli/command.ts';
import { alignOperands, type Flag, formatFlagTerm, formatLongFlag } from '../cli/flag.ts';
import type { UnresolvedLine } from '../cli/parse.ts';
import { isScopeAlone, loadProgram } from '../cli/registry.ts';
import { combineErrors } from '../commands/values.ts';
import { isColoured } from '../config/environment.ts';
import { UsageError } from '../errors.ts';
import { FORMAT_NAMES } from '../output/formats/formats.ts';
import type { Sink } from '../output/sink.ts';
import { findNearest } from '../parsing/text.ts';
import type { Machine } from '../platform/machine.ts';
import { getVersionInfo } from '../version.ts';
import { buildCommandPage, writeCommands } from './command-page.ts';
import {
  buildRootPage,
  buildShortRootPage,
  type HelpPage,
  renderHelpText,
  TOPICS,
  toSentence,
} from './page.ts';
import { loadTopicPage } from './topics.ts';

/** What is answered beside the commands: help, the version, and what is wrong with a line. Reads no settings. */

export interface RawCommandLine {
  readonly args: readonly string[];
  readonly errorsAsJson: boolean;
  readonly versionAsJson: boolean;
  readonly machine: Machine;
}

/** The commands there are, where no more was asked for. */
export function printCommands(raw: RawCommandLine): Promise<void> {
  return printPage(buildShortRootPage(), raw);
}

/**
 * What a line that leads to no command ends with: help or the version is printed, anything else is wrong usage.
 * @returns the failure; `undefined` when all is said
 */
export async function answerWithoutCommand(
  { why, line, message }: UnresolvedLine,
  raw: RawCommandLine,
): Promise<unknown> {
  const { machine } = raw;
  const { command, unknownCommand } = line;
  const isRoot = command.path === '';
  const helpCommand = ['ttctl', command.path, '--help'].filter(Boolean).join(' ');
  try {
    if (why === 'version' || (isRoot && unknownCommand === 'version' && !line.help)) {
      const info = JSON.stringify(getVersionInfo(machine), null, 2);
      return await machine.stdout.write(`${raw.versionAsJson ? info : `ttctl ${machine.version}`}\n`);
    }
    if (why === 'help' || isScopeAlone(raw.args)) return await printPage(await findPage(line, raw), raw);
    if (why === 'group') {
      // What there is, on stderr, since no data was asked for.
      const page = isRoot ? buildShortRootPage() : [toSentence(command.about), writeCommands(command)];
      if (!raw.errorsAsJson) await printPage(page, raw, machine.stderr, '\n');
      return new UsageError('no command given', { hint: `Run ${helpCommand} for all commands.` });
    }
    // All of it, told together. Values are checked once the words themselves are in order.
    const mistakes = findMistakes(line, await loadProgram()).map(
      ({ what, hint = `Run ${helpCommand} for all options.` }) => new UsageError(what, { hint }),
    );
    return combineErrors(mistakes) ?? new UsageError(message, { hint: 'Run ttctl --help for all commands.' });
  } catch (error) {
    return error;
  }
}

/** Of a topic, else of the command that is named, whatever else is wrong with the line. @throws UsageError */
async function findPage(line: ReadLine, { machine }: RawCommandLine): Promise<HelpPage> {
  const { command, unknownCommand } = line;
  const isRoot = command.path === '';
  const isWhole = unknownCommand === undefined || unknownCommand === 'version' || unknownCommand === 'topics';
  if (isRoot && isWhole) return buildRootPage(machine.addresses);
  if (unknownCommand === undefined) return buildCommandPage(command);
  const topic = TOPICS.find(({ name }) => isRoot && name === unknownCommand);
  if (topic !== undefined) return loadTopicPage(topic.name);
  const [mistake] = findMistakes(line, await loadProgram());
  throw new UsageError(mistake?.what ?? '', { hint: mistake?.hint });
}

function printPage(page: HelpPage, raw: RawCommandLine, stream: Sink = raw.machine.stdout, end = '') {
  const { args, machine } = raw;
  const flag = args.includes('--no-color') ? false : undefined;
  const bold = isColoured(stream, machine.env, flag);
  return stream.write(renderHelpText(page, machine.width, bold) + end);
}

type ReadLine = Line<Flag, CommandNode>;

interface Mistake {
  readonly what: string;
  readonly hint?: string;
}

/** @param program with every noun loaded */
export function findMistakes(line: ReadLine, program: Program): readonly Mistake[] {
  const { command, operands, unknownCommand, unknownFlags, bare } = line;
  const group = command.path === '' ? program : command;
  const found: Mistake[] = [];
  if (unknownCommand !== undefined && isGroup(group))
    found.push({
      what: `unknown command '${unknownCommand}'`,
      hint: createCommandHint(group, unknownCommand, program),
    });
  for (const flag of unknownFlags) found.push(createFlagMistake(line, flag));
  for (const flag of bare) found.push({ what: `option '${formatFlagTerm(flag)}' argument missing` });
  if (unknownCommand !== undefined || isGroup(command)) return found;
  const { positionals, name } = command;
  const aligned = alignOperands(positionals, operands);
  for (const [index, one] of positionals.entries())
    if (one.required && aligned[index] === undefined)
      found.push({ what: `missing required argument '${one.name}'` });
  const most = positionals.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : positionals.length;
  // The word after an unknown flag may be its value.
  if (operands.length <= most || unknownFlags.length > 0) return found;
  const extra = operands.slice(most).join(' ');
  const near = suggestCommand(command, extra);
  const hint = findHint(command.path, extra) ?? (near && `Did you mean ${near}?`);
  const what = `too many arguments for '${name}': ${extra}`;
  return [...found, hint === undefined ? { what } : { what, hint }];
}

/** Flags that other command lines have, by what they are called here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMAT_NAMES.map((format) => [`--${format}`, `--output ${format}`])),
  ...{ '--format': '--output', '--fields': '--columns', '--jq': '--query', '--page-size': '--per-page' },
  ...{ '--data': '--input', '-d': '--input', '--request': '--method', '--verbose': '--debug' },
  ...{ '-v': '--debug', '--reason': '--comment', '--comment': '--reason' },
  ...{ '--from': '--date-from', '--since': '--date-from', '--to': '--date-to', '--until': '--date-to' },
};

/**
 * Words that are no command or flag, by where they stand: what to do instead. For what some services have beyond the
 * documented operations (docs/service.md, Other operations): the line that reaches it.
 */
const HINTS: Readonly<Record<string, string>> = {
  approve:
    'Say what: ttctl timesheets approve, ttctl leaves approve, ttctl time-requests approve, or ttctl inbox.',
  reject:
    'Say what: ttctl timesheets reject, ttctl leaves reject, ttctl time-requests reject, or ttctl inbox.',
  ...ofAll(
    ['report', 'reports'],
    'The API has no reports. Hours by person: ttctl timesheets list --period last-month --group-by user_id --sum total_hours',
  ),
  'timesheets list --project':
    "The API's timesheets have no project. Who works on one: ttctl contracts list --project <project>",
  ...ofAll(
    ['timesheets list --team', 'members list --team'],
    'The API filters by no team. Those of one: ttctl members list --where "team_name == \'Design\'"',
  ),
  ...ofAll(
    ['contracts update --from', 'contracts update --date', 'members update --from', 'members update --date'],
    'Rates and hours of the API have no date: a change counts at once. For later, make a plan now and apply it then: --plan <file>',
  ),
  'inbox list': 'ttctl inbox lists what is waiting: in a pipe, or with --output table.',
  'auth login --token':
    'A token in a command line stays in the history of the shell. Use --token-stdin, which asks for it.',
  'time-entries': sendRequest('api /time-entries -X GET -f user_id=17 -f date=2026-11-20'),
  'time-tracking start': sendRequest('api -X POST /time-tracking/start'),
  'time-tracking current': sendRequest('api /time-tracking/current-data'),
  'api --slurp':
    '--paginate prints one array of all records. Whole pages are read one by one: ttctl api "/members?page=2"',
  man: 'The manual is the help: ttctl help <command>, ttctl help <topic>.',
  'sandbox open': 'The sandbox has no page to look at: use ttctl sandbox status and ttctl sandbox log.',
  'sandbox coverage': 'What is known about the service is in docs/service.md.',
  'sandbox simulate': 'The seeds have a past of ten weeks; time is moved by ttctl sandbox clock advance 2w.',
  'schema --openapi': 'ttctl schema lists the commands with their operations.',
  'schema --output-schema': 'ttctl schema <command> names the fields of its output, under "prints".',
  'members archive --with-open-items': 'Omit it: the question and --dry-run always show what is open.',
  ...ofAll(
    ['error', 'result', 'log', 'job'].map((name) => `schema --${name}-schema`),
    'The schemas are files of the package: docs/schemas/.',
  ),
  'profile set --protected': 'Profiles are no longer protected: --read-only refuses writes.',
  'webhooks listen --show-body': 'ttctl webhooks received <id> shows a delivery in full.',
  ...ofAll(['jobs remove', 'jobs prune'], 'Run ttctl history prune --older-than 180d'),
  ...ofAll(
    ['close check --save', 'close check --since'],
    'Keep ttctl timesheets list --period last-month --output csv in git, and look at its diff.',
  ),
};

function ofAll(words: readonly string[], hint: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => [word, hint]));
}

function sendRequest(line: string): string {
  return `It has no command of its own. Send the request: ttctl ${line}`;
}

/** Verbs that take something away or decide about somebody's work: never offered for a word that was mistyped. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...allOperations.flatMap(({ id, moves = RESTORES }) => (moves === RESTORES ? [] : id.replace(/.*\./, ''))),
  ...['remove', 'unassign', 'stop', 'reset', 'clear', 'logout', 'revoke'],
]);

/** @param program with every noun loaded */
function createCommandHint(group: Group, word: string, program: Program): string {
  const hint = findHint(group.path, word);
  if (hint !== undefined) return hint;
  const near = suggestCommand(group, word);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (group !== program) return `Commands: ${group.commands.map(({ name }) => name).join(', ')}.`;
  // Commands of this name anywhere: `login` is one of `auth`.
  const found = listCommands(program)
    .filter((leaf) => !DESTRUCTIVE.has(leaf.name) && leaf.path !== leaf.name && matchesName(leaf, word))
    .slice(0, 4)
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
  const names = commands.flatMap((child) => [child.name, ...child.aliases]);
  const near = suggestWord(word, names) ?? '';
  const command = commands.find((child) => matchesName(child, near));
  return command === undefined || DESTRUCTIVE.has(command.name) ? undefined : near;
}

/** The only word that begins like it, or else the nearest; none where several begin so, or one of more words does. */
export function suggestWord(word: string, words: readonly string[]): string | undefined {
  const beginning = words.filter((candidate) => word.length > 2 && candidate.startsWith(word));
  if (beginning.length > 1 || beginning.some((candidate) => candidate[word.length] === '-')) return undefined;
  return beginning[0] ?? findNearest(word, words);
}

function createFlagMistake(line: ReadLine, word: string): Mistake {
  const [name = '', value] = word.split('=', 2);
  if (value !== undefined && line.findFlag(name)) return { what: `option '${name}' takes no value` };
  const what = `unknown option '${word}'`;
  const own = findHint(line.command.path, word);
  if (own !== undefined) return { what, hint: own };
  const flags = [...line.listFlags(), { name: 'help', about: 'show help' } as Flag];
  const findFlag = (long: string) => flags.find((flag) => formatLongFlag(flag) === long);
  // It is one of the command's, and came before the command was named.
  if (findFlag(word)) return { what, hint: `Put ${word} after ${line.command.name}.` };
  const synonym = (Object.hasOwn(SYNONYMS, word) && SYNONYMS[word]) || '';
  if (findFlag(synonym.replace(/ .*/, ''))) return { what, hint: `Did you mean ${synonym}?` };
  const names = flags.map((flag) => flag.name);
  const near = findFlag(`--${suggestWord(word.replace(/^-+/, ''), names)}`);
  return near === undefined || near.unsafe
    ? { what }
    : { what, hint: `Did you mean ${formatLongFlag(near)}?` };
}
