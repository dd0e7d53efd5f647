import type { Rows } from '../commands/rows.ts';
import { isColoured } from '../config/environment.ts';
import type { GlobalFlags, Settings } from '../config/settings.ts';
import { fromFlag, readColumns } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { lazy } from '../lazy.ts';
import { Output } from '../output/output.ts';
import { ProgressIndicator } from '../output/progress.ts';
import { Prompter } from '../output/prompt.ts';
import type { Grouping } from '../output/streams.ts';
import { getColumns, loadPalette } from '../output/terminal.ts';
import type { Machine } from '../platform/machine.ts';
import { type CommandRecord, type Invocation, LIST_COLUMNS } from './flag.ts';

/** The output of one run, as settings and machine want it. */

type Options = Readonly<Record<string, unknown>>;

const readFields = (flag: string, value: unknown): readonly string[] => {
  const source = fromFlag(flag, value as readonly string[] | undefined);
  return source === undefined ? [] : readColumns(source);
};

/**
 * What `--group-by` and `--sum` say.
 * @throws UsageError for a sum of no groups, and for a field that is named twice
 */
const readGrouping = ({ groupBy, sum }: Options): Grouping | undefined => {
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
};

/** @throws UsageError for a question, or a change, that has no columns to be about */
const readColumnOptions = ({ columns, query }: Settings, { operation, prints }: CommandRecord) => {
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
};

interface OutputOptions {
  readonly watch: ProgressIndicator;
  readonly flags: GlobalFlags;
  readonly invocation: Invocation;
  readonly limit: number | undefined;
  readonly timeZone: () => string;
  readonly rows: () => Rows;
}

export const openOutput = async (
  machine: Machine,
  settings: Settings,
  { invocation, flags, limit, timeZone, watch, rows }: OutputOptions,
): Promise<Output> => {
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
};

/** Not in CI, where it would fill a log. */
export const openProgress = (machine: Machine, settings: Settings): ProgressIndicator =>
  new ProgressIndicator({
    stderr: machine.stderr,
    enabled: !settings.quiet.value && (machine.env.CI ?? '') === '',
    width: machine.width ?? 80,
    clock: machine.clock,
  });

/** Glyphs beyond ASCII where the locale says UTF-8, or says nothing. */
const isUnicode = ({ env }: Machine): boolean => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale === '' || /utf-?8/i.test(locale);
};

/** Questions on stderr. */
export const openPrompter = (
  machine: Machine,
  settings: Settings,
  { output, watch }: { readonly output: Output; readonly watch: ProgressIndicator },
): Prompter =>
  new Prompter({
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
