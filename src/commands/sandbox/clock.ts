import { defineGroup } from '../../cli/command.ts';
import { parseDuration } from '../../parsing/duration.ts';
import { defineClockVerb, parseInstantIn } from './clock-verb.ts';

const defineSimpleVerb = (action: 'freeze' | 'resume' | 'reset', about: string) =>
  defineClockVerb(action, {
    about,
    examples: [`ttctl sandbox clock ${action}`],
    buildMove: () => ({ action }),
  });

const show = defineClockVerb('show', {
  about: 'show the time of the sandbox',
  examples: ['ttctl sandbox clock show', 'ttctl sandbox clock show --json'],
  buildMove: () => undefined,
});

const set = defineClockVerb('set', {
  about: 'set the clock of the sandbox to a time',
  examples: ['ttctl sandbox clock set 2026-12-01', 'ttctl sandbox clock set 2026-12-01T09:00+01:00'],
  positionals: [{ name: 'time', about: 'a day, or a time with or without an offset', required: true }],
  zoned: true,
  buildMove: (time, zone) => ({ action: 'set', to_ms: parseInstantIn(time, zone) }),
});

const advance = defineClockVerb('advance', {
  about: 'advance the clock of the sandbox',
  examples: ['ttctl sandbox clock advance 15d', 'ttctl sandbox clock advance 2h30m --json'],
  positionals: [{ name: 'duration', about: 'such as 90s, 2h30m, 15d', required: true }],
  buildMove: (duration) => ({ action: 'advance', by_ms: parseDuration(duration) }),
});

/** `sandbox clock …` */
export const sandboxClock = defineGroup('sandbox clock', 'show or change the time of the sandbox', [
  show,
  set,
  advance,
  defineSimpleVerb('freeze', 'stop the clock of the sandbox'),
  defineSimpleVerb('resume', 'restart the clock of the sandbox'),
  defineSimpleVerb('reset', 'reset the clock of the sandbox to the time of this machine'),
]);
