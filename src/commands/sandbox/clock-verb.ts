import { type Command, defineCommand } from '../../cli/command.ts';
import type { Positional } from '../../cli/flag.ts';
import type { ClockMove, Column } from '../../context.ts';
import { isDay, parseDateTime } from '../../parsing/calendar.ts';
import { zoneFlag } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';
import { clockFields } from './output-fields.ts';
import { formatInspect, urlFlag } from './target.ts';

const columns: readonly Column[] = [
  // As text: with seconds, which matter to people who set the clock.
  { field: 'now', kind: 'text' },
  { field: 'frozen' },
  { field: 'ahead_seconds', kind: 'number' },
];

interface ClockVerb {
  readonly about: string;
  readonly examples: readonly string[];
  /** The change of the clock; undefined: none, the clock is only shown. */
  readonly buildMove: (argument: string, zone: () => string) => ClockMove | undefined;
  readonly positionals?: readonly Positional[];
  /** Whether the word is a time, which a zone belongs to. */
  readonly zoned?: boolean;
}

/** A verb of `sandbox clock`: it changes the clock and shows its state. */
export const defineClockVerb = (
  name: string,
  { about, examples, buildMove, positionals = [], zoned = false }: ClockVerb,
): Command =>
  defineCommand({
    path: `sandbox clock ${name}`,
    about,
    examples,
    prints: { shape: 'record', fields: clockFields },
    exits: [7],
    positionals,
    flags: [urlFlag, ...(zoned ? [zoneFlag] : [])],
    run: async (context, { targets: [argument = ''], options }) => {
      const move = buildMove(argument, () => context.timeZone());
      const control = (await context.sandbox()).control(options.url);
      if (move === undefined) return context.output.record({ ...(await control.clock()) }, columns);
      const record = { ...(await control.moveClock(move)) };
      const text = `It is now ${record.now} in the sandbox`;
      const inspectLine = formatInspect('clock show', options);
      await printLocalChange(context, { record, columns, text, inspectLine });
    },
  });

/** A day is its first moment there. @returns milliseconds since the epoch @throws UsageError */
export const parseInstantIn = (text: string, zone: () => string): number =>
  Date.parse(parseDateTime(isDay(text) ? `${text}T00:00` : text, zone));
