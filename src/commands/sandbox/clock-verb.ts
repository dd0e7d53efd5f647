import type { ClockMove, Column, Context } from '../../context.ts';
import { isDay, readMoment } from '../../notation/calendar.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { clockFields } from './shown.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

const columns: readonly Column[] = [
  // Whole: to people who move it, seconds matter.
  { field: 'now', kind: 'text' },
  { field: 'frozen' },
  { field: 'ahead_seconds', kind: 'number' },
];

interface About {
  readonly summary: string;
  readonly examples: readonly string[];
  /** What is asked for; undefined: only to look. */
  readonly move: (word: string, zone: () => string) => ClockMove | undefined;
}

const zoneOf =
  ({ settings }: Context, { timezone }: Readonly<Record<string, unknown>>) =>
  (): string =>
    typeof timezone === 'string'
      ? timezone
      : (settings.timezone?.value ?? Intl.DateTimeFormat().resolvedOptions().timeZone);

/** A verb of `sandbox clock`: it makes its move and shows how the clock stands. */
export const clockVerb = (door: Door, name: string, { summary, examples, move }: About) =>
  withUrl(
    localCommand(name, summary, {
      examples,
      prints: { shape: 'record', fields: clockFields },
      exits: [7],
    }),
  ).action(
    run(door, async (context, [word = ''], options) => {
      const wanted = move(word, zoneOf(context, options));
      const control = (await context.sandbox()).control(urlOf(options));
      if (wanted === undefined) return context.output.record({ ...(await control.clock()) }, columns);
      const record = { ...(await control.moveClock({ ...wanted, plan: context.settings.dryRun.value })) };
      const text = `it is now ${record.now} in the sandbox`;
      await tellChange(context, { record, columns, text, look: lookAt('clock show', options) });
    }),
  );

/** A day is its first moment there. @returns milliseconds since the epoch @throws UsageError */
export const readInstant = (text: string, zone: () => string): number =>
  Date.parse(readMoment(isDay(text) ? `${text}T00:00` : text, zone));
