import type { PageWindow } from '../api/page.ts';
import { checkRequired, NO_EXTRA } from '../api/plan.ts';
import type { NamedKind } from '../api/records.ts';
import { checkAllQuery, choosesRows, openRows, type Rows } from '../commands/rows.ts';
import { checkFlags, listNeeds, resolveValues } from '../commands/values.ts';
import { NameMemory } from '../completion/names.ts';
import { isColoured, resolveDirectories } from '../config/environment.ts';
import {
  createBadValueError,
  EMPTY_SETTINGS,
  readColumns,
  resolveSettings,
  restrictWrites,
  type Settings,
} from '../config/settings.ts';
import { SettingsStore } from '../config/store.ts';
import { collectProblems, UsageError } from '../errors.ts';
import { refuseWrite } from '../http/links.ts';
import { toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { Output } from '../output/output.ts';
import { ProgressIndicator } from '../output/progress.ts';
import { Prompter } from '../output/prompt.ts';
import type { Grouping } from '../output/streams.ts';
import { getColumns, loadPalette } from '../output/terminal.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';
import { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { Run } from '../run.ts';
import { checkReplaced, findWriteProblem } from '../storage/own-files.ts';
import {
  type CommandRecord,
  createFlagNamer,
  createRepeatError,
  getOptionKey,
  hasFlag,
  type Invocation,
  LIST_COLUMNS,
} from './flag.ts';

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
) {
  const { command, options } = invocation;
  const { clock, env } = machine;
  // What is told before there is an output to tell it with waits for it; each text is told once.
  const told = new Map<string, 'note' | 'warn'>();
  const tell = (as: 'note' | 'warn') => (text: string) => {
    if (!told.has(text)) opened?.[as](text);
    told.set(text, as);
  };
  const [note, warn] = [tell('note'), tell('warn')];
  let opened: Output | undefined;
  const directories = resolveDirectories(env, machine.platform, machine.home);
  const file = directories.config && `${directories.config}/settings.json`;
  const settingsStore = new SettingsStore(file, clock, warn);
  const problems: UsageError[] = invocation.repeated.map(createRepeatError);
  const { settings, wrong } = openSettings(invocation, env, settingsStore, problems);
  if (settings.query !== undefined) collectProblems(problems, () => checkAllQuery(invocation));
  const zoneFlag = command.flags.find(({ zone }) => zone === true);
  const zone = zoneFlag && options[getOptionKey(zoneFlag)];
  if (zone !== undefined) collectProblems(problems, () => getOffsetMinutes(0, String(zone)));
  const timeZone = lazy(
    () => (zone as string | undefined) ?? findStoredZone(settings) ?? readSystemZone(env.TZ, note, warn),
  );
  const { window, limit } = readWindow(invocation, settings, problems);
  const calendar = { now: clock.now(), timeZone, note };
  // Else they are told with what is missing.
  if (problems.length > 0) checkFlags(invocation, calendar, problems);
  machine.exitNotices.json = settings.output.value.errorsAsJson;
  const watch = new ProgressIndicator({
    stderr: machine.stderr,
    // Not in CI, where it would fill a log.
    enabled: !settings.quiet.value && (env.CI ?? '') === '',
    width: machine.width ?? 80,
    clock,
  });
  const shown = { invocation, watch, limit, timeZone, rows: () => rows };
  const output = await openOutput(machine, settings, shown);
  opened = output;
  for (const [text, as] of told) output[as](text);
  if (command.settings === 'mended')
    for (const { message, hint } of wrong) output.warn([message, hint].filter(Boolean).join('. '));
  const memory = new NameMemory(directories.cache, settings.profile.value, machine);
  // `--no-input` is a flag of every command, and no text.
  const hasRaws =
    typeof options.input === 'string' || RAW_OPTIONS.some((name) => options[name] !== undefined);
  const isPlaced = settings.workspace?.from === 'flag';
  const { extra, workspace } = hasRaws
    ? await (await import('../changes/input/files.ts')).readRawParameters(invocation, isPlaced, machine)
    : { extra: NO_EXTRA };
  const own = workspace != null && ({ value: toText(workspace), from: 'flag', name: '--workspace' } as const);
  const run = new Run({
    ...{ machine, directories, settingsStore, settingsProblems: wrong, invocation, args, calendar },
    ...{ output, watch, timeZone, picked: new Map(), pickWorkspace, exit },
    settings: own ? { ...settings, workspace: own } : settings,
    extra,
    window: { ...window, interrupted: machine.interrupted },
    prompter: new Prompter({
      machine,
      enabled: !settings.noInput.value,
      style: () => {
        const palette = output.options.palettes.stderr;
        return { ...output.style, showSecrets: false, palette, width: getColumns(machine.stderrStream) };
      },
      hold: () => watch.hold(),
    }),
    requests: new RunRequests({ machine, settings, watch, args }),
    memory,
  });
  run.onEnd(async () => memory.save());
  const rows = await openRows(run);
  run.choose = (pages) => rows.choose(pages);
  return { run, rows };
}

/**
 * The settings of the run, and what is wrong with stored ones, for a command that is there to mend or to examine them.
 * @param problems takes all else that is wrong
 * @throws UsageError for a settings file that cannot be read, unless the command examines it
 */
function openSettings(
  { command, options, globals: given, operands }: Invocation,
  env: Machine['env'],
  store: SettingsStore,
  problems: UsageError[],
) {
  const { newProfile = false, settings: use, positionals } = command;
  // `profile set payroll` means what `--profile payroll` means.
  const profile = positionals[0]?.name === 'profile' && !positionals[0].required ? operands[0] : undefined;
  const globals = profile === undefined ? given : { ...given, profile };
  if (![profile, undefined].includes(given.profile as string | undefined) && profile !== undefined)
    problems.push(new UsageError(`--profile and "${profile}" name two profiles`));
  const [found, wrong]: [UsageError[], UsageError[]] = [[], []];
  const resolved = resolveSettings({
    // Of commands that make profiles also their own.
    flags: newProfile ? { ...options, ...globals } : globals,
    env,
    file: collectProblems(use === 'examined' ? wrong : undefined, () => store.read()) ?? EMPTY_SETTINGS,
    path: store.file,
    newProfile,
    problems: found,
  });
  if (use !== undefined) collectProblems(found, () => findStoredZone(resolved));
  for (const problem of found)
    (use !== undefined && problem.details.source === 'profile' ? wrong : problems).push(problem);
  const { plan } = options;
  const settings = use === undefined ? restrictWrites(resolved, command.path) : resolved;
  if (typeof plan !== 'string') return { settings, wrong };
  const problem = plan === '-' ? undefined : findWriteProblem(plan);
  if (problem !== undefined) problems.push(new UsageError(`--plan: cannot write to ${problem}`));
  else if (plan !== '-') collectProblems(problems, () => checkReplaced(plan, 'plan'));
  // What only makes a plan sends nothing.
  const dryRun = { value: true, from: 'flag', name: '--plan' } as const;
  return { settings: { ...settings, dryRun, plan }, wrong };
}

/** The zone that the profile names. @throws UsageError where there is none of that name */
function findStoredZone({ timezone }: Settings): string | undefined {
  if (timezone?.from === 'profile' && !isZone(timezone.value)) {
    throw createBadValueError(
      timezone,
      `has an unknown time zone: "${timezone.value}"`,
      'Use an IANA name such as Europe/Berlin or UTC.',
    );
  }
  return timezone?.value;
}

/**
 * The zone of this machine: what `TZ` says, as `date` reads it, else what the system is set to.
 * @param note takes a word on an offset, which has no summer time
 * @param warn takes a word on what is no zone
 */
function readSystemZone(
  tz: string | undefined,
  note: (text: string) => void,
  warn: (text: string) => void,
): string {
  // Of a path: `:/usr/share/zoneinfo/Europe/Berlin`.
  const name = (tz ?? '').replace(/^:/, '').replace(/^.*\/zoneinfo\/(?:posix\/|right\/)?/, '');
  if (name === '') {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { readonly timeZone?: string };
    return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
  }
  if (isZone(name)) return name;
  // `UTC+3` is west of Greenwich: POSIX and the names of Etc/ count alike.
  const [, sign, hours = '', minutes = '00'] =
    /^(?:[A-Za-z]{3,}|<[^>]*>)([+-]?)(\d{1,2})(?::?([0-5]\d))?$/.exec(name) ?? [];
  const zone = `${sign === '-' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
  if (sign === undefined || !isZone(zone)) {
    warn(`TZ=${tz} is not a time zone: times are in UTC. Use an IANA name such as Europe/Berlin.`);
    return 'UTC';
  }
  if (Number(hours) + Number(minutes) === 0) return 'UTC';
  note(`TZ=${tz} is read as ${zone.replace('-', '−')}, without summer time.`);
  return zone;
}

function isZone(name: string): boolean {
  try {
    getOffsetMinutes(0, name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The part of a list that was asked for: `--limit`, `--page`, `--per-page`.
 * @returns `limit`: so many of the sorted or grouped rows are shown; before, all are read
 */
function readWindow(
  { command, options }: Invocation,
  settings: Settings,
  problems: UsageError[],
): { readonly window: PageWindow; readonly limit?: number } {
  const read = (raw: unknown, flag: string, max = 999_999_999): number | undefined =>
    collectProblems(problems, () => {
      if (raw === undefined) return undefined;
      const number = /^\d+$/.test(String(raw)) ? Number(raw) : 0;
      if (number >= 1 && number <= max) return number;
      throw new UsageError(`${flag}: "${raw}" is not a whole number from 1 to ${max}`);
    });
  const limit = read(options.limit, '--limit');
  const page = read(options.page, '--page');
  const perPage = read(options.perPage, '--per-page', 100);
  const window = { ...(page && { page }), ...(perPage && { perPage }) };
  if (limit === undefined) return { window };
  const isChosen = command.operation !== undefined && choosesRows(options);
  const isHeld = isChosen || settings.sort !== undefined || options.groupBy !== undefined;
  return isHeld && hasFlag(command, 'group-by') ? { window, limit } : { window: { ...window, limit } };
}

const RAW_OPTIONS = ['param', 'field', 'typedField'];

interface OutputOptions {
  readonly watch: ProgressIndicator;
  readonly invocation: Invocation;
  readonly limit: number | undefined;
  readonly timeZone: () => string;
  readonly rows: () => Rows;
}

async function openOutput(
  machine: Machine,
  settings: Settings,
  { invocation, limit, timeZone, watch, rows }: OutputOptions,
): Promise<Output> {
  const { command, options, globals } = invocation;
  const { env, stdout, stderr } = machine;
  const { groupBy, sum } = options;
  const flag = globals.color as boolean | undefined;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const { compileQuery } = settings.query === undefined ? {} : await import('../query/run.ts');
  const loadOutputs = () => import('../commands/outputs.ts');
  return new Output({
    stdout,
    stderr,
    format: settings.output.value,
    ...(await readColumnOptions(settings, command)),
    ...(settings.sort && { sort: [settings.sort.value] }),
    ...(settings.query && compileQuery && { query: await compileQuery(settings.query.value) }),
    header: settings.header.value,
    quiet: settings.quiet.value,
    palettes: {
      stdout: await loadPalette(isColoured(stdout, env, flag)),
      stderr: await loadPalette(isColoured(stderr, env, flag)),
    },
    width: machine.width,
    stderrWidth: machine.stderrWidth,
    ...((groupBy ?? sum) !== undefined && { grouping: readGrouping(groupBy, sum) }),
    ...(limit !== undefined && { limit }),
    documented: lazy(async () => (await loadOutputs()).describeOutput(command)?.fields ?? []),
    isNumber: async (field) => (await loadOutputs()).isNumberField(command, field),
    choose: (pages) => rows().choose(pages),
    joins: () => rows().joins(),
    isRead: settings.dryRun.value || command.operation?.method === 'GET',
    showSecrets: options.showSecrets === true,
    timeZone,
    // Glyphs beyond ASCII where the locale says UTF-8, or says nothing.
    unicode: locale === '' || /utf-?8/i.test(locale),
    clock: machine.clock,
    ...(watch.visible && { progress: watch }),
  });
}

/**
 * What `--group-by` and `--sum` say.
 * @throws UsageError for a sum of no groups, and for a field that is named twice
 */
function readGrouping(groupBy: unknown, sum: unknown): Grouping {
  const read = (name: string, value: unknown): readonly string[] =>
    value === undefined ? [] : readColumns({ value: value as readonly string[], from: 'flag', name });
  const [by, sums] = [read('--group-by', groupBy), read('--sum', sum)];
  if (by.length === 0)
    throw new UsageError('--sum needs --group-by', {
      hint: 'For example: --group-by status --sum total_hours',
    });
  const names = [...by, 'count', ...sums.map((field) => `sum_${field}`)];
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined) throw new UsageError(`two group columns would be named ${duplicate}`);
  return { by, sums };
}

/** @throws UsageError for a question, or a change, that has no columns to be about */
async function readColumnOptions({ columns, query }: Settings, { operation, prints }: CommandRecord) {
  const { value: given } = columns ?? {};
  if (given === undefined) return {};
  const parts = given.map((text) => /^([+-]?\w+)=(?!=)(.*)$/s.exec(text));
  const names = given.map((text, i) => parts[i]?.[1] ?? text);
  const isList = names.includes(LIST_COLUMNS);
  const isRead = operation?.method === 'GET' || prints?.shape === 'list';
  const found = parts.filter((part) => part !== null);
  // Of one record there is nothing to compare with; after a query, columns are of its answer.
  const isRows = operation?.returns === 'list' || prints?.shape === 'list';
  if ((isList && !isRead) || (found.length > 0 && (!isRead || !isRows || query !== undefined)))
    throw new UsageError('--columns needs names of fields', { hint: 'For example: --columns id,status' });
  const { compileColumn } = found.length > 0 ? await import('../query/condition.ts') : {};
  const expressions = await Promise.all(
    found.map(([, name = '', text = '']) => compileColumn?.(name.replace(/^[+-]/, ''), text)),
  );
  if (query !== undefined && (isList || /^[+-]/.test(names[0] ?? '')))
    throw new UsageError('--columns cannot list or change the columns of a --query', {
      hint: 'Name the fields of its answer: --columns id,status',
    });
  return isList
    ? { listsColumns: true }
    : { columns: names, expressions: expressions.flatMap((one) => one ?? []) };
}

/**
 * The values of the command's flags, asked for where they are missing, checked and looked up; `undefined` where a
 * template was all that was asked for.
 * @throws UnresolvedLine where a positional is missing and nobody can be asked
 */
export async function readValues({ run, rows }: Awaited<ReturnType<typeof openRun>>) {
  const { invocation, calendar, extra } = run;
  const { command, options } = invocation;
  const needs = canPrompt(run) ? listNeeds(invocation, extra) : [];
  if (needs.length > 0) {
    const { askForNeeds } = await loadQuestions();
    await askForNeeds(run, needs, () => checkSendable(run));
  } else if (invocation.absent !== undefined) throw invocation.absent;
  if (options.template === true) {
    const { formatTemplate } = await import('../changes/input/columns.ts');
    await run.output.text(formatTemplate(command));
    return undefined;
  }
  // The rows of a file are completed by what the flags say; until they are, names stay as they are.
  const isFile = options.fromFile !== undefined;
  const lookUp = async (kind: NamedKind, text: string) => (isFile ? text : run.lookUps.find(kind, text));
  const resolved = await resolveValues(invocation, calendar, lookUp, (given) => {
    if (isFile || command.operation === undefined) return;
    checkRequired(command.operation, given, { extra, flagOf: createFlagNamer(command) });
  });
  return rows.takeSeveral(resolved);
}

const loadQuestions = () => import('../prompts/ask.ts');

/** Lets a person choose the workspace of the run; `undefined` where nobody can be asked. */
async function pickWorkspace(run: Run): Promise<number | undefined> {
  if (!canPrompt(run)) return undefined;
  const { askForWorkspace } = await loadQuestions();
  return askForWorkspace(run);
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
  if (settings.readOnly.value) refuseWrite(settings);
  await session.checkWriteScope();
}
