import { type Command, defineCommand } from '../../cli/command.ts';
import type { Positional } from '../../cli/flag.ts';
import type { ClockMove, Column, Context } from '../../context.ts';
import { isDay, readMoment } from '../../notation/calendar.ts';
import { zoneFlag } from '../flags.ts';
import { told } from '../planned.ts';
import { clockFields } from './shown.ts';
import { urlFlag } from './target.ts';

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
export const clockVerb = (
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
      const plan = wanted !== undefined && context.settings.dryRun.value;
      const state = await (wanted === undefined ? control.clock() : control.moveClock(wanted, plan));
      await context.output.record(...told(plan, { ...state }, columns));
    },
  });

/** A day is its first moment there. @returns milliseconds since the epoch @throws UsageError */
export const readInstant = (text: string, zone: () => string): number =>
  Date.parse(readMoment(isDay(text) ? `${text}T00:00` : text, zone));
