import type { Invocation } from '../cli/invocation.ts';
import { isColoured } from '../config/colour.ts';
import type { GlobalFlags, Settings } from '../config/settings-types.ts';
import { fromFlag } from '../config/sourced.ts';
import { readColumns } from '../config/values.ts';
import type { Prompter } from '../context.ts';
import { lazy } from '../lazy.ts';
import { UsageError } from '../outcome.ts';
import { createOutput } from '../output/output.ts';
import type { Grouping } from '../output/output-context.ts';
import { loadPalette } from '../output/palette.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import type { ProgressIndicator } from '../output/progress-indicator.ts';
import type { Machine } from '../platform/machine.ts';

/** The output of one run, as settings and machine want it. */

type Options = Readonly<Record<string, unknown>>;

const fieldsIn = (flag: string, value: unknown): readonly string[] => {
  const source = fromFlag(flag, value as readonly string[] | undefined);
  return source === undefined ? [] : readColumns(source);
};

/**
 * What `--group-by` and `--sum` say.
 * @throws UsageError for a sum of no groups, and for a field that is named twice
 */
const readGrouping = ({ groupBy, sum }: Options): Grouping | undefined => {
  const by = fieldsIn('--group-by', groupBy);
  const sums = fieldsIn('--sum', sum);
  if (by.length === 0) {
    if (sums.length === 0) return undefined;
    throw new UsageError('--sum needs --group-by', {
      hint: 'For example: --group-by status --sum total_hours',
    });
  }
  const names = [...by, 'count', ...sums.map((field) => `sum_${field}`)];
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new UsageError(`two group columns would be named ${twice}`);
  return { by, sums };
};

interface OutputWishes {
  readonly progress: Progress;
  readonly watch: ProgressIndicator;
  readonly flags: GlobalFlags;
  readonly invocation: Invocation;
  /** Rows of a list that is sorted or grouped. */
  readonly limit: number | undefined;
  readonly timeZone: () => string;
}

export const openOutput = (
  machine: Machine,
  settings: Settings,
  { invocation, flags, limit, timeZone, progress, watch }: OutputWishes,
) => {
  const { command, options } = invocation;
  const grouping = readGrouping(options);
  const { env, stdout, stderr } = machine;
  const colour = (stream: { readonly isTTY: boolean }) => isColoured(stream, { flag: flags.color, env });
  return createOutput({
    stdout,
    stderr,
    format: settings.output.value,
    ...(settings.columns === undefined ? {} : { columns: settings.columns.value }),
    ...(settings.sort === undefined ? {} : { sort: [settings.sort.value] }),
    ...(settings.query === undefined ? {} : { query: settings.query.value }),
    header: settings.header.value,
    quiet: settings.quiet.value,
    colour: { stdout: colour(stdout), stderr: colour(stderr) },
    width: machine.width,
    stderrWidth: machine.stderrWidth,
    ...(grouping === undefined ? {} : { grouping }),
    ...(limit === undefined ? {} : { limit }),
    documented: lazy(
      async () => (await import('../commands/answers.ts')).describeAnswer(command)?.fields ?? [],
    ),
    reads: settings.dryRun.value || command.operation?.method === 'GET',
    showSecrets: options.showSecrets === true,
    get timeZone() {
      return timeZone();
    },
    unicode: isUnicode(machine),
    clock: machine.clock,
    progress,
    watch,
  });
};

export const getSystemTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Not in CI, where it would fill a log. */
export const openProgress = (machine: Machine, settings: Settings): Progress =>
  createProgress({
    stderr: machine.stderr,
    enabled: !settings.quiet.value && (machine.env.CI ?? '') === '',
    width: machine.width ?? 80,
    clock: machine.clock,
  });

/** Glyphs beyond ASCII where the locale says UTF-8, or says nothing. */
export const isUnicode = ({ env }: Machine): boolean => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale === '' || /utf-?8/i.test(locale);
};

/** Questions on stderr. Its terminal may be another than that of stdout. What they need is loaded with the first one. */
export const openPrompter = (
  machine: Machine,
  settings: Settings,
  { flags, timeZone, watch }: Pick<OutputWishes, 'flags' | 'timeZone' | 'watch'>,
): Prompter => {
  const style = async () => ({
    unicode: isUnicode(machine),
    get timeZone() {
      return timeZone();
    },
    now: () => machine.clock.now(),
    showSecrets: false,
    palette: await loadPalette(isColoured(machine.stderr, { flag: flags.color, env: machine.env })),
    get width() {
      return machine.stderrStream.columns || 80;
    },
  });
  const open = async () => {
    const { createPrompter } = await import('../output/prompt.ts');
    const { stdin, stderrStream: stderr, interrupted: signal, interrupt, suspend } = machine;
    const { hold } = watch;
    return createPrompter({ stdin, stderr, style, signal, interrupt, suspend, hold });
  };
  return {
    get available() {
      return !settings.noInput.value && machine.stderr.isTTY && machine.stdin.isTTY === true;
    },
    confirm: async (confirmation) => (await open()).confirm(confirmation),
    secret: async (message) => (await open()).secret(message),
    text: async (message, question) => (await open()).text(message, question),
    choose: async (message, choices) => (await open()).choose(message, choices),
    pick: async (picking) => (await open()).pick(picking),
  };
};
