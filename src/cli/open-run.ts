import { checkRequired } from '../api/plan.ts';
import { listNeeds } from '../commands/needs.ts';
import { checkAllQuery, choosesRows, Rows } from '../commands/rows.ts';
import { type RawParameters, resolveValues, throwProblems, toExtra } from '../commands/values.ts';
import { NameMemory } from '../completion/names.ts';
import { isColoured, resolveDirectories } from '../config/environment.ts';
import type { GlobalFlags, Settings } from '../config/settings.ts';
import { SettingsStore } from '../config/store.ts';
import { fromFlag, readColumns } from '../config/values.ts';
import { collectProblems, UsageError } from '../errors.ts';
import { refuseWrite } from '../http/links.ts';
import { lazy } from '../lazy.ts';
import { Output } from '../output/output.ts';
import { ProgressIndicator } from '../output/progress.ts';
import { Prompter } from '../output/prompt.ts';
import type { Grouping } from '../output/streams.ts';
import { getColumns, loadPalette } from '../output/terminal.ts';
import { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { PromptedAnswers } from '../prompts/answers.ts';
import { Run } from '../run.ts';
import { type CommandRecord, createFlagNamer, type Invocation, LIST_COLUMNS } from './flag.ts';
import {
  createRepeatError,
  findOutputProblems,
  getZoneFlag,
  openSettings,
  readSystemZone,
  readWindow,
  resolveZone,
  warnBadSettings,
} from './settings.ts';

interface OpenedRun {
  readonly run: Run;
  readonly rows: Rows;
}

/**
 * Opens the run of a command line: settings are read, and all that is wrong with the line is told before anything is
 * asked of the service.
 * @param args the words of the command line
 * @param exit takes the exit code of a run in which nothing fails
 * @throws UsageError for a bad flag, variable or settings file
 */
export async function openRun(
  invocation: Invocation,
  machine: Machine,
  args: readonly string[],
  exit: (code: number) => void,
): Promise<OpenedRun> {
  const { command, options } = invocation;
  const notices = new Notices();
  const directories = resolveDirectories(machine.env, machine.platform, machine.home);
  const settingsFile = directories.config && `${directories.config}/settings.json`;
  const settingsStore = new SettingsStore(settingsFile, machine.clock, notices.warn);
  const problems: UsageError[] = invocation.repeated.map(createRepeatError);
  const attempt = <T>(work: () => T): T | undefined => collectProblems(problems, work);
  const opened = openSettings(invocation, machine.env, settingsStore, problems);
  const { flags, settings } = opened;
  attempt(() => checkAllQuery(invocation, settings));
  const zone = attempt(() => getZoneFlag(invocation));
  const timeZone = lazy(() =>
    resolveZone(zone, settings, settingsStore.file, () => readSystemZone(machine.env.TZ, notices)),
  );
  const isHeld = settings.sort !== undefined || (command.operation !== undefined && choosesRows(options));
  const { limit, window } = readWindow(invocation, isHeld, attempt);
  const calendar = { now: machine.clock.now(), timeZone, note: notices.note };
  const fileProblems = findOutputProblems(invocation, settings);
  throwProblems(invocation, calendar, [...problems, ...fileProblems]);
  machine.exitNotices.json = settings.output.value.errorsAsJson;
  const watch = openProgress(machine, settings);
  const shown = { invocation, flags, watch, limit, timeZone, rows: () => rows };
  const output = await openOutput(machine, settings, shown);
  notices.printTo(output);
  if (command.settings === 'mended') warnBadSettings(output.warn, opened.wrong);
  // The sandbox's own file says what there is.
  const cache = settings.embedded ? undefined : directories.cache;
  const memory = cache === undefined ? undefined : new NameMemory(cache, settings.profile.value);
  const run = new Run({
    machine,
    directories,
    settings,
    settingsStore,
    settingsProblems: opened.wrong,
    invocation,
    args,
    calendar,
    raws: await readRaws(invocation, settings, machine),
    window,
    output,
    prompter: openPrompter(machine, settings, { output, watch }),
    watch,
    requests: new RunRequests({ machine, settings, watch, args }),
    timeZone,
    answers: new PromptedAnswers(),
    picked: new Map(),
    pickWorkspace,
    onReply: (operation, values, request, reply) => memory?.add(operation, values, request, reply),
    exit,
  });
  run.onEnd(async () => memory?.save(machine));
  const rows = await Rows.open(run);
  run.choose = rows.choose;
  return { run, rows };
}

/**
 * The values of the command's flags, asked for where they are missing, checked and looked up; `undefined` where a
 * template was all that was asked for.
 */
export async function readValues({ run, rows }: OpenedRun): Promise<Record<string, unknown> | undefined> {
  await promptForMissing(run);
  const { invocation, calendar, raws, lookUps } = run;
  const { command, options } = invocation;
  if (options.template === true) {
    const { formatTemplate } = await import('../changes/input/columns.ts');
    await run.output.text(formatTemplate(command));
    return undefined;
  }
  // The rows of a file are completed by what the flags say; until they are, names stay as they are.
  const isFile = options.fromFile !== undefined;
  const resolved = await resolveValues(invocation, {
    calendar,
    lookUp: async (kind, text) => (isFile ? text : lookUps.find(kind, text)),
    requireParameters(given) {
      if (isFile || command.operation === undefined) return;
      checkRequired(command.operation, given, { extra: toExtra(raws), flagOf: createFlagNamer(command) });
    },
  });
  return rows.takeMembers(resolved);
}

/** What is told before there is an output to tell it with, and later: each text once. */
class Notices {
  readonly #told = new Map<string, 'note' | 'warn'>();
  #output: Output | undefined;

  readonly note = (text: string): void => this.#tell(text, 'note');
  readonly warn = (text: string): void => this.#tell(text, 'warn');

  printTo(output: Output): void {
    this.#output = output;
    for (const [text, as] of this.#told) output[as](text);
  }

  #tell(text: string, as: 'note' | 'warn'): void {
    if (!this.#told.has(text)) this.#output?.[as](text);
    this.#told.set(text, as);
  }
}

/** Options of raw values, by their keys; `typedField` is that of `api`. */
const RAW_OPTIONS = ['param', 'field', 'typedField'];

const NO_RAWS: RawParameters = { query: [], fields: {}, input: undefined };

async function readRaws(
  invocation: Invocation,
  settings: Settings,
  machine: Machine,
): Promise<RawParameters> {
  const { options } = invocation;
  // `--no-input` is a flag of every command, and no text.
  if (typeof options.input !== 'string' && RAW_OPTIONS.every((name) => options[name] === undefined))
    return NO_RAWS;
  const { readRawParameters } = await import('../changes/input/raw.ts');
  return readRawParameters(invocation, settings.workspace?.from === 'flag', machine);
}

/** The output of one run, as settings and machine want it. */

type Options = Readonly<Record<string, unknown>>;

interface OutputOptions {
  readonly watch: ProgressIndicator;
  readonly flags: GlobalFlags;
  readonly invocation: Invocation;
  readonly limit: number | undefined;
  readonly timeZone: () => string;
  readonly rows: () => Rows;
}

export async function openOutput(
  machine: Machine,
  settings: Settings,
  { invocation, flags, limit, timeZone, watch, rows }: OutputOptions,
): Promise<Output> {
  const { command, options } = invocation;
  const grouping = readGrouping(options);
  const { env, stdout, stderr } = machine;
  const openPalette = (stream: { readonly isTTY: boolean }) =>
    loadPalette(isColoured(stream, { flag: flags.color, env }));
  const { compileQuery } = settings.query === undefined ? {} : await import('../query/run.ts');
  return new Output({
    stdout,
    stderr,
    format: settings.output.value,
    ...readColumnOptions(settings, command),
    ...(settings.sort === undefined ? {} : { sort: [settings.sort.value] }),
    ...(settings.query && compileQuery && { query: await compileQuery(settings.query.value) }),
    header: settings.header.value,
    quiet: settings.quiet.value,
    palettes: { stdout: await openPalette(stdout), stderr: await openPalette(stderr) },
    width: machine.width,
    stderrWidth: machine.stderrWidth,
    ...(grouping === undefined ? {} : { grouping }),
    ...(limit === undefined ? {} : { limit }),
    documented: lazy(
      async () => (await import('../commands/outputs.ts')).describeOutput(command)?.fields ?? [],
    ),
    choose: (pages) => rows().choose(pages),
    joins: () => rows().joins(),
    isRead: settings.dryRun.value || command.operation?.method === 'GET',
    showSecrets: options.showSecrets === true,
    timeZone,
    unicode: isUnicode(machine),
    clock: machine.clock,
    progress: watch,
  });
}

/**
 * What `--group-by` and `--sum` say.
 * @throws UsageError for a sum of no groups, and for a field that is named twice
 */
function readGrouping({ groupBy, sum }: Options): Grouping | undefined {
  const by = readFields('--group-by', groupBy);
  const sums = readFields('--sum', sum);
  if (by.length === 0) {
    if (sums.length === 0) return undefined;
    throw new UsageError('--sum needs --group-by', {
      hint: 'For example: --group-by status --sum total_hours',
    });
  }
  const names = [...by, 'count', ...sums.map((field) => `sum_${field}`)];
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined) throw new UsageError(`two group columns would be named ${duplicate}`);
  return { by, sums };
}

function readFields(flag: string, value: unknown): readonly string[] {
  const source = fromFlag(flag, value as readonly string[] | undefined);
  return source === undefined ? [] : readColumns(source);
}

/** @throws UsageError for a question, or a change, that has no columns to be about */
function readColumnOptions({ columns, query }: Settings, { operation, prints }: CommandRecord) {
  const { value: names } = columns ?? {};
  if (names === undefined) return {};
  const isList = names.includes(LIST_COLUMNS);
  if (isList && operation?.method !== 'GET' && prints?.shape !== 'list')
    throw new UsageError('--columns needs names of fields', { hint: 'For example: --columns id,status' });
  if (query !== undefined && (isList || /^[+-]/.test(names[0] ?? '')))
    throw new UsageError('--columns cannot list or change the columns of a --query', {
      hint: 'Name the fields of its answer: --columns id,status',
    });
  return isList ? { listsColumns: true } : { columns: names };
}

/** Not in CI, where it would fill a log. */
export function openProgress(machine: Machine, settings: Settings): ProgressIndicator {
  return new ProgressIndicator({
    stderr: machine.stderr,
    enabled: !settings.quiet.value && (machine.env.CI ?? '') === '',
    width: machine.width ?? 80,
    clock: machine.clock,
  });
}

/** Glyphs beyond ASCII where the locale says UTF-8, or says nothing. */
function isUnicode({ env }: Machine): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale === '' || /utf-?8/i.test(locale);
}

/** Questions on stderr. */
export function openPrompter(
  machine: Machine,
  settings: Settings,
  { output, watch }: { readonly output: Output; readonly watch: ProgressIndicator },
): Prompter {
  return new Prompter({
    machine,
    enabled: !settings.noInput.value,
    style: () => ({
      unicode: output.style.unicode,
      get timeZone() {
        return output.style.timeZone;
      },
      now: () => machine.clock.now(),
      showSecrets: false,
      palette: output.options.palettes.stderr,
      width: getColumns(machine.stderrStream),
    }),
    hold: () => watch.hold(),
  });
}

/**
 * Asks for what the command line leaves out.
 * @throws UnresolvedLine where a positional is missing and nobody can be asked
 */
export async function promptForMissing(run: Run): Promise<void> {
  const { invocation, raws, calendar, answers, picked } = run;
  const needs = canPrompt(run) ? listNeeds(invocation, toExtra(raws)) : [];
  if (needs.length === 0 && invocation.absent !== undefined) throw invocation.absent;
  if (needs.length === 0) return;
  const { askForNeeds } = await import('../prompts/ask.ts');
  const precheck = () => checkSendable(run);
  await askForNeeds(needs, { invocation, context: run, calendar, answers, picked, precheck });
}

/** Lets a person choose the workspace of the run; `undefined` where nobody can be asked. */
export async function pickWorkspace(run: Run): Promise<number | undefined> {
  if (!canPrompt(run)) return undefined;
  const { askForWorkspace } = await import('../prompts/ask.ts');
  return askForWorkspace(run.api, run.prompter, run.answers);
}

/** A list to pick from needs a terminal that can go back over what it has drawn. */
function canPrompt({ machine, settings, prompter }: Run): boolean {
  return !settings.dryRun.value && machine.env.TERM !== 'dumb' && prompter.available;
}

/** What is sure to be refused is not asked about. @throws Failure */
async function checkSendable(run: Run): Promise<void> {
  const { settings, session } = run;
  const { operation } = run.invocation.command;
  if (operation === undefined) return;
  run.base();
  await session.identity();
  if (operation.scope !== 'write') return;
  if (settings.readOnly.value) refuseWrite(settings.profile.value);
  await session.checkWriteScope();
}
