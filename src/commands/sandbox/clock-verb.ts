import { type Command, defineCommand } from '../../cli/command.ts';
import type { Positional } from '../../cli/flag.ts';
import type { ClockMove, Column, Context } from '../../context.ts';
import { isDay, parseDateTime } from '../../parsing/calendar.ts';
import { zoneFlag } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';
import { clockFields } from './output-fields.ts';
import { formatInspect, urlFlag } from './target.ts';

const columns: readonly Column[] = [
  // Whole: to people who move it, seconds matter.
  { field: 'now', kind: 'text' },
  { field: 'frozen' },
  { field: 'ahead_seconds', kind: 'number' },
];

interface About {
  readonly about: string;
  readonly examples: readonly string[];
  /** What is asked for; undefined: only to look. */
  readonly move: (word: string, zone: () => string) => ClockMove | undefined;
  readonly positionals?: readonly Positional[];
  /** Whether the word is a time, which a zone belongs to. */
  readonly zoned?: boolean;
}

const zoneOf =
  ({ settings }: Context, { timezone }: { readonly timezone?: string | undefined }) =>
  (): string =>
    timezone ?? settings.timezone?.value ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A verb of `sandbox clock`: it makes its move and shows how the clock stands. */
export const defineClockVerb = (
  name: string,
  { about, examples, move, positionals = [], zoned = false }: About,
): Command =>
  defineCommand({
    path: `sandbox clock ${name}`,
    about,
    examples,
    prints: { shape: 'record', fields: clockFields },
    exits: [7],
    positionals,
    flags: [urlFlag, ...(zoned ? [zoneFlag] : [])],
    run: async (context, { targets: [word = ''], options }) => {
      const wanted = move(word, zoneOf(context, options));
      const control = (await context.sandbox()).control(options.url);
      if (wanted === undefined) return context.output.record({ ...(await control.clock()) }, columns);
      const record = { ...(await control.moveClock({ ...wanted, plan: context.settings.dryRun.value })) };
      const text = `It is now ${record.now} in the sandbox`;
      const inspectLine = formatInspect('clock show', options);
      await printLocalChange(context, { record, columns, text, inspectLine });
    },
  });

/** A day is its first moment there. @returns milliseconds since the epoch @throws UsageError */
export const parseInstantIn = (text: string, zone: () => string): number =>
  Date.parse(parseDateTime(isDay(text) ? `${text}T00:00` : text, zone));
