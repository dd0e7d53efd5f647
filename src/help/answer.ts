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

/** `words :: what they are called here`, of flags and commands that other command lines have. */
const SYNONYMS = `
--format :: --output
--fields :: --columns
--jq :: --query
--page-size :: --per-page
--data, -d :: --input
--request :: --method
--verbose, -v :: --debug
--reason :: --comment
--comment :: --reason
--from, --since :: --date-from
--to, --until :: --date-to
--user, --employee, --person :: --member
--day, --week, --month, --year :: --period
--last-week :: --period last-week
--this-week :: --period this-week
--last-month :: --period last-month
--this-month :: --period this-month
--hours :: --weekly-hours-limit
--only :: --allow
--pending :: --status pending
--pat :: --token-stdin
users, people, employees, staff :: members
absences, holidays, vacations, vacation :: leaves
show, view :: get | show
find, search :: list
add, new :: create | invite
edit, change :: update
export :: list --output csv
import :: create --from-file | invite --from-file
config, settings :: profile show
whoami :: auth status | status
rates :: contracts list
`;

/**
 * Words that are no command or flag, by where they stand: what to do instead. For what some services have beyond the
 * documented operations (docs/service.md, Other operations): the line that reaches it.
 */
const HINTS = `
approve :: Run ttctl inbox for everything that is waiting, or ttctl timesheets approve, ttctl leaves approve, ttctl time-requests approve.
reject :: Run ttctl inbox for everything that is waiting, or ttctl timesheets reject, ttctl leaves reject, ttctl time-requests reject.
inbox approve, inbox reject, inbox --clean :: In a terminal, ttctl inbox decides. In one line: ttctl timesheets approve --all --clean --dry-run
inbox list :: To list what is waiting: ttctl inbox --output table
report, reports, hours, payroll, invoice, invoices :: The documented API has no reports or invoices. For hours by person: ttctl timesheets list --period last-month --group-by user_id --sum total_hours
budget, budgets, projects budget, projects budgets, projects hours, projects report, projects list --budget, projects list --budget-used, projects list --over-budget, projects list --hours :: The API has no hours by project, so it does not say how much of a budget is used. For estimates and budgets: ttctl projects list --columns name,estimation,budget_estimation
overtime, timesheets overtime, timesheets list --overtime :: Work it out: ttctl timesheets list --period last-week --where 'total_hours > member.weekly_hours_limit' --columns 'member.name,overtime=total_hours - member.weekly_hours_limit'
members update --rate, members update --hourly-rate :: A rate belongs to a contract. To find one: ttctl contracts list --member <member>; then: ttctl contracts update <contract> --rate 60
remind, timesheets remind :: The API sends no reminders. For the addresses: ttctl timesheets missing --output ids
timesheets late, timesheets list --late, timesheets list --missing, timesheets list --not-submitted, members missing, members list --not-submitted :: To list who has not submitted: ttctl timesheets missing
timesheets list --pending :: Did you mean --status submitted?
timesheets add, timesheets create, timesheets edit, timesheets update, timesheets delete :: The API cannot create or change timesheets. To add time: ttctl time-requests create --help
timesheets list --project :: The API's timesheets have no project. For who works on one: ttctl contracts list --project <project>
members list --project :: For who works on a project: ttctl contracts list --project <project>
expenses list --project :: The API has no such filter. Use: ttctl expenses list --where "project.name == 'Harbour website'"
team, teams, timesheets list --team, members list --team, inbox --team :: The API has no filter by team. For its members: ttctl members list --where "team_name == 'Design'"
expenses approve, expenses reject, expenses list --status :: Expenses have no status in the API, and nobody approves them. To list them: ttctl expenses list --period last-month
timesheets unapprove, leaves unapprove, time-requests unapprove :: The API cannot reverse a decision.
leaves create, leaves add, leaves request, leaves update, leaves cancel, leaves delete :: The API cannot create, change or cancel leaves. For those that are waiting: ttctl leaves list --status pending
leaves today, leaves upcoming, leaves list --today, leaves list --upcoming :: To list who is away and when: ttctl leaves away
expenses create --member, expenses create --user :: The API books every expense in your own name. For examples: ttctl expenses create --help
expenses restore :: A deleted expense is gone, but ttctl undo <entry> prints the line that records it again. For the entries: ttctl history list
timesheets overlaps, timesheets duplicates, leaves overlaps, time-requests overlaps, expenses duplicates :: For overlaps and double entries: ttctl close check --period last-month
close --period, close last-month :: Did you mean ttctl close check --period last-month?
projects close :: To close a project, archive it: ttctl projects archive <project> --dry-run
members list --search, members list --name :: To search by a part of the name: ttctl members list --where "contains(firstname, 'Mei')"
contracts update --all, contracts update --where :: To update many: export them, edit the file, and pass it to --from-file. First: ttctl contracts list --output csv > contracts.csv
members update --all, members update --where :: To update many: export them, edit the file, and pass it to --from-file. First: ttctl members list --output csv > members.csv
projects update --all, projects update --where :: To update many: export them, edit the file, and pass it to --from-file. First: ttctl projects list --output csv > projects.csv
projects restore, contracts restore, tasks restore :: The API cannot restore projects, contracts and tasks. Use the web app of the service.
contracts update --from, contracts update --date, contracts update --start-date, contracts update --effective, contracts create --from, members update --from, members update --date :: Rates and hours have no date in the API: a change takes effect at once. For later, make a plan for that day: --plan <file> --at <day>
undo --last :: In a terminal, ttctl undo offers the last ten writes.
logout :: To sign out: ttctl auth logout
auth login --allow :: A profile is held to commands once it exists: ttctl profile set <name> --allow 'timesheets approve'
auth login --token :: A token in a command line stays in the shell's history. Use --token-stdin, which asks for it.
time-entries :: It has no command of its own. Send the request: ttctl api /time-entries -X GET -f user_id=17 -f date=2026-11-20
time-tracking start :: It has no command of its own. Send the request: ttctl api -X POST /time-tracking/start
time-tracking current :: It has no command of its own. Send the request: ttctl api /time-tracking/current-data
api --slurp :: --paginate prints one array of all records. Whole pages are read one by one: ttctl api "/members?page=2"
man :: Run ttctl help <command>, or ttctl help <topic>.
sandbox open :: The sandbox has no page to look at: use ttctl sandbox status and ttctl sandbox log.
sandbox reset agency, sandbox reset demo, sandbox reset month-end, sandbox reset messy, sandbox reset big, sandbox reset empty :: The seed is an option: ttctl sandbox reset --seed agency
schema --openapi :: ttctl schema lists the commands with their operations.
jobs remove, jobs prune :: Run ttctl history prune --older-than 180d
`;

/** What a table has for a word, before and behind ` :: `. */
function lookUp(table: string, word: string): string | undefined {
  const rows = table.split('\n').map((line) => line.split(' :: '));
  return rows.find(([words = '']) => words.split(', ').includes(word))?.[1];
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
  return lookUp(HINTS, `${path} ${word}`.trim());
}

function suggestCommand({ commands = [] }: CommandNode, word: string): string | undefined {
  const names = commands.flatMap((child) => [child.name, ...child.aliases]);
  const isHere = (line: string) => commands.some((child) => matchesName(child, line.replace(/ .*/, '')));
  const known = lookUp(SYNONYMS, word)?.split(' | ').find(isHere);
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
  const isFormat = FORMAT_NAMES.some((format) => word === `--${format}`);
  const synonym = isFormat ? `--output ${word.slice(2)}` : (lookUp(SYNONYMS, word) ?? '');
  if (findFlag(synonym.replace(/ .*/, '')))
    return { what, hint: `Did you mean ${list ? 'list ' : ''}${synonym}?` };
  const names = flags.map((flag) => flag.name);
  const near = findFlag(`--${suggestWord(word.replace(/^-+/, ''), names)}`);
  return near === undefined || near.unsafe
    ? { what }
    : { what, hint: `Did you mean ${formatLongFlag(near)}?` };
}
