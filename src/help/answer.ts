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
import { alignOperands, type Flag, formatFlagTerm, formatLongFlag, hasFlag } from '../cli/flag.ts';
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
  const isPeriod = hasFlag(command, 'period') && /^(?:this|last|next)-|^\d{4}\b/.test(extra);
  const near = isPeriod ? `--period ${extra}` : suggestCommand(command, extra);
  const hint = findHint(command.path, extra) ?? (near && `Did you mean ${near}?`);
  const what = `too many arguments for '${name}': ${extra}`;
  return [...found, hint === undefined ? { what } : { what, hint }];
}

const SYNONYMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMAT_NAMES.map((format) => [`--${format}`, `--output ${format}`])),
  ...{ '--format': '--output', '--fields': '--columns', '--jq': '--query', '--page-size': '--per-page' },
  ...{ '--data': '--input', '-d': '--input', '--request': '--method', '--verbose': '--debug' },
  ...{ '-v': '--debug', '--reason': '--comment', '--comment': '--reason' },
  ...{ '--from': '--date-from', '--since': '--date-from', '--to': '--date-to', '--until': '--date-to' },
  ...ofAll(['--user', '--employee', '--person'], '--member'),
  ...ofAll(['--day', '--week', '--month', '--year'], '--period'),
  ...{ '--pending': '--status pending', '--pat': '--token-stdin' },
};

/** Words that other command lines have for a command; the first that there is. */
const COMMAND_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...ofAll(['users', 'people', 'employees', 'staff'], ['members']),
  ...ofAll(['absences', 'holidays', 'vacations', 'vacation'], ['leaves']),
  ...ofAll(['show', 'view'], ['get', 'show']),
  ...ofAll(['find', 'search'], ['list']),
  ...ofAll(['add', 'new'], ['create', 'invite']),
  ...ofAll(['edit', 'change'], ['update']),
  ...ofAll(['config', 'settings'], ['profile show']),
  ...{ export: ['list --output csv'], import: ['create --from-file', 'invite --from-file'] },
  ...{ whoami: ['auth status', 'status'], rates: ['contracts list'] },
};

const DECIDABLE = ['timesheets', 'leaves', 'time-requests'];
const PER_PERSON = 'ttctl timesheets list --period last-month --group-by member.name --sum total_hours';

/**
 * Words that are no command or flag, by where they stand: what to do instead. For what some services have beyond the
 * documented operations (docs/service.md, Other operations): the line that reaches it.
 */
const HINTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['approve', 'reject'].map((verb) => [
      verb,
      `Run ttctl inbox for everything that is waiting, or ${DECIDABLE.map((noun) => `ttctl ${noun} ${verb}`).join(', ')}.`,
    ]),
  ),
  ...ofAll(
    ['inbox approve', 'inbox reject', 'inbox --clean'],
    'In a terminal, ttctl inbox decides. In one line: ttctl timesheets approve --all --clean --dry-run',
  ),
  'inbox list': 'To list what is waiting: ttctl inbox --output table',
  ...ofAll(
    ['report', 'reports', 'hours', 'payroll', 'invoice', 'invoices', 'projects hours', 'projects report'],
    `The documented API has no reports or invoices. For hours by person: ${PER_PERSON}`,
  ),
  overtime:
    "Work it out: ttctl timesheets list --period last-week --columns 'member.name,overtime=total_hours - member.weekly_hours_limit'",
  ...ofAll(
    ['remind', 'timesheets remind'],
    'The API sends no reminders. For the addresses: ttctl timesheets missing --output ids',
  ),
  ...ofAll(
    ['timesheets late', 'timesheets list --late', 'timesheets list --missing'],
    'To list who has not submitted: ttctl timesheets missing',
  ),
  'timesheets list --pending': 'Did you mean --status submitted?',
  ...ofAll(
    ['add', 'create', 'edit', 'update', 'delete'].map((verb) => `timesheets ${verb}`),
    'The API cannot create or change timesheets. To add time: ttctl time-requests create --help',
  ),
  'timesheets list --project':
    "The API's timesheets have no project. For who works on one: ttctl contracts list --project <project>",
  'members list --project': 'For who works on a project: ttctl contracts list --project <project>',
  'expenses list --project':
    'The API has no such filter. Use: ttctl expenses list --where "project == \'Harbour website\'"',
  ...ofAll(
    ['team', 'teams', 'timesheets list --team', 'members list --team', 'inbox --team'],
    'The API has no filter by team. For its members: ttctl members list --where "team_name == \'Design\'"',
  ),
  ...ofAll(
    ['expenses approve', 'expenses reject', 'expenses list --status'],
    'Expenses have no status in the API, and nobody approves them. To list them: ttctl expenses list --period last-month',
  ),
  ...ofAll(
    DECIDABLE.map((noun) => `${noun} unapprove`),
    'The API cannot reverse a decision.',
  ),
  ...Object.fromEntries(
    ['projects', 'contracts', 'tasks'].map((noun) => [
      `${noun} restore`,
      `The API has no restore for ${noun}. To restore one, use the web app of the service.`,
    ]),
  ),
  ...ofAll(
    ['contracts update', 'contracts create', 'members update'].flatMap((path) =>
      ['from', 'date', 'start-date', 'effective', 'valid-from'].map((name) => `${path} --${name}`),
    ),
    'Rates and hours have no date in the API: a change takes effect at once. For later, make a plan for that day: --plan <file> --at <day>',
  ),
  'undo --last': 'In a terminal, ttctl undo offers the last ten writes.',
  'auth login --token':
    "A token in a command line stays in the shell's history. Use --token-stdin, which asks for it.",
  'time-entries': sendRequest('api /time-entries -X GET -f user_id=17 -f date=2026-11-20'),
  'time-tracking start': sendRequest('api -X POST /time-tracking/start'),
  'time-tracking current': sendRequest('api /time-tracking/current-data'),
  'api --slurp':
    '--paginate prints one array of all records. Whole pages are read one by one: ttctl api "/members?page=2"',
  man: 'Run ttctl help <command>, or ttctl help <topic>.',
  'sandbox open': 'The sandbox has no page to look at: use ttctl sandbox status and ttctl sandbox log.',
  'schema --openapi': 'ttctl schema lists the commands with their operations.',
  ...ofAll(['jobs remove', 'jobs prune'], 'Run ttctl history prune --older-than 180d'),
};

function ofAll<T>(words: readonly string[], hint: T): Readonly<Record<string, T>> {
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

function suggestCommand({ commands = [] }: CommandNode, word: string): string | undefined {
  const names = commands.flatMap((child) => [child.name, ...child.aliases]);
  const isHere = (line: string) => commands.some((child) => matchesName(child, line.replace(/ .*/, '')));
  const known = Object.hasOwn(COMMAND_SYNONYMS, word) ? COMMAND_SYNONYMS[word]?.find(isHere) : undefined;
  if (known !== undefined) return known;
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
  const [given = '', value] = word.split('=', 2);
  if (value !== undefined && line.findFlag(given)) return { what: `option '${given}' takes no value` };
  const what = `unknown option '${word}'`;
  // A noun alone is mostly meant as its list.
  const list = line.command.commands?.find(({ name }) => name === 'list');
  const { path, name: after } = list ?? line.command;
  const own = findHint(path, word);
  if (own !== undefined) return { what, hint: own };
  const flags = [...line.listFlags(), ...(list?.flags ?? []), { name: 'help', about: 'show help' } as Flag];
  const findFlag = (long: string) => flags.find((flag) => formatLongFlag(flag) === long);
  // It is one of the command's, and came before the command was named.
  if (findFlag(word)) return { what, hint: `Put ${word} after ${after}.` };
  const synonym = (Object.hasOwn(SYNONYMS, word) && SYNONYMS[word]) || '';
  if (findFlag(synonym.replace(/ .*/, '')))
    return { what, hint: `Did you mean ${list ? 'list ' : ''}${synonym}?` };
  const names = flags.map((flag) => flag.name);
  const near = findFlag(`--${suggestWord(word.replace(/^-+/, ''), names)}`);
  return near === undefined || near.unsafe
    ? { what }
    : { what, hint: `Did you mean ${formatLongFlag(near)}?` };
}
