import { defineGroup } from '../../cli/command.ts';
import type { Column } from '../../output/list-view.ts';
import { isDay, parseDateTime, parseDuration } from '../../parsing/calendar.ts';
import type { SandboxControl } from '../../sandbox/control.ts';
import { zoneFlag } from '../flags.ts';
import { defineRecord } from './verb.ts';

type ClockMove = Parameters<SandboxControl['moveClock']>[0];

const clockColumns: readonly Column[] = [
  // As text: with seconds, which matter to people who set the clock.
  { field: 'now', kind: 'text' },
  { field: 'frozen' },
  { field: 'ahead_seconds', kind: 'number' },
];

type ClockVerb = Pick<Parameters<typeof defineRecord>[0], 'about' | 'examples' | 'positionals'>;

/** @param zoned whether its word is a time, which a zone belongs to */
const defineClockMove = (
  name: string,
  buildMove: (word: string, zone: () => string) => ClockMove,
  verb: ClockVerb,
  zoned = false,
) =>
  defineRecord({
    ...verb,
    path: `clock ${name}`,
    columns: clockColumns,
    flags: zoned ? [zoneFlag] : [],
    inspect: 'clock show',
    change: async ({ control, targets: [word = ''], context }) => {
      const record = await control.moveClock(buildMove(word, () => context.timeZone()));
      return { record, text: `It is now ${record.now} in the sandbox` };
    },
  });

const defineClockSwitch = (action: 'freeze' | 'resume' | 'reset', about: string) =>
  defineClockMove(action, () => ({ action }), { about, examples: [`ttctl sandbox clock ${action}`] });

export const sandboxClock = defineGroup('sandbox clock', 'show or change the time of the sandbox', [
  defineRecord({
    path: 'clock show',
    about: 'show the time of the sandbox',
    examples: ['ttctl sandbox clock show', 'ttctl sandbox clock show --json'],
    columns: clockColumns,
    change: async ({ control }) => ({ record: await control.clock() }),
  }),
  defineClockMove(
    'set',
    // A day is its first moment there.
    (time, zone) => ({
      action: 'set',
      to_ms: Date.parse(parseDateTime(isDay(time) ? `${time}T00:00` : time, zone)),
    }),
    {
      about: 'set the clock of the sandbox to a time',
      examples: ['ttctl sandbox clock set 2026-12-01', 'ttctl sandbox clock set 2026-12-01T09:00+01:00'],
      positionals: [{ name: 'time', about: 'a day, or a time with or without an offset', required: true }],
    },
    true,
  ),
  defineClockMove('advance', (duration) => ({ action: 'advance', by_ms: parseDuration(duration) }), {
    about: 'advance the clock of the sandbox',
    examples: ['ttctl sandbox clock advance 15d', 'ttctl sandbox clock advance 2h30m --json'],
    positionals: [{ name: 'duration', about: 'such as 90s, 2h30m, 15d', required: true }],
  }),
  defineClockSwitch('freeze', 'stop the clock of the sandbox'),
  defineClockSwitch('resume', 'restart the clock of the sandbox'),
  defineClockSwitch('reset', 'reset the clock of the sandbox to the time of this machine'),
]);
