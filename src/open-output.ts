import { colourFor } from './config/colour.ts';
import type { GlobalFlags, Settings } from './config/settings-types.ts';
import type { Machine } from './machine.ts';
import { createOutput } from './terminal/output.ts';
import { createProgress, type Progress } from './terminal/progress.ts';

/** The output of one run, as settings and machine want it. */

interface OutputWishes {
  readonly progress: Progress;
  readonly flags: GlobalFlags;
  readonly showSecrets: boolean;
  readonly timeZone: () => string;
}

export const openOutput = (
  machine: Machine,
  settings: Settings,
  { flags, showSecrets, timeZone, progress }: OutputWishes,
) => {
  const { env, stdout, stderr } = machine;
  const colour = (stream: { readonly isTTY: boolean }) => colourFor(stream, { flag: flags.color, env });
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
    showSecrets,
    get timeZone() {
      return timeZone();
    },
    ci: (env.CI ?? '') !== '',
    unicode: isUnicode(machine),
    clock: machine.clock,
    progress,
  });
};

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
