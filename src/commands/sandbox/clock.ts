import { readDuration } from '../../notation/duration.ts';
import type { Door } from '../../run.ts';
import { localCommand, zoneOption } from '../command.ts';
import { clockVerb, readInstant } from './clock-verb.ts';

/** `sandbox clock …` */
export const sandboxClock = (door: Door) => {
  const simple = (action: 'freeze' | 'resume' | 'reset', summary: string) =>
    clockVerb(door, action, {
      summary,
      examples: [`ttctl sandbox clock ${action}`],
      move: () => ({ action }),
    });
  const show = clockVerb(door, 'show', {
    summary: 'show what time it is in the sandbox',
    examples: ['ttctl sandbox clock show', 'ttctl sandbox clock show --json'],
    move: () => undefined,
  });
  const set = clockVerb(door, 'set', {
    summary: 'set the clock of the sandbox to a time',
    examples: ['ttctl sandbox clock set 2026-12-01', 'ttctl sandbox clock set 2026-12-01T09:00+01:00'],
    move: (time, zone) => ({ action: 'set', to_ms: readInstant(time, zone) }),
  });
  const advance = clockVerb(door, 'advance', {
    summary: 'move the clock of the sandbox on',
    examples: ['ttctl sandbox clock advance 15d', 'ttctl sandbox clock advance 2h30m --json'],
    move: (duration) => ({ action: 'advance', by_ms: readDuration(duration) }),
  });
  return localCommand('clock', 'the time by which tokens, limits and dates of the sandbox go', {
    examples: [],
  })
    .addCommand(show)
    .addCommand(set.argument('<time>', 'a day, or a time with or without an offset').addOption(zoneOption()))
    .addCommand(advance.argument('<duration>', 'such as 90s, 2h30m, 15d'))
    .addCommand(simple('freeze', 'make the clock of the sandbox stand still'))
    .addCommand(simple('resume', 'run the clock on from where it stands'))
    .addCommand(simple('reset', "set the clock of the sandbox back to this machine's time"));
};
