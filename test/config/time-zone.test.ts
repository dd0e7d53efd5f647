import { expect, it } from 'vitest';
import { runInProcess, words } from '../support/in-process.ts';

/** The zone of this machine, as `TZ` says it (R19). */

const zoneWith = async (TZ: string) => {
  const { stdout, stderr } = await runInProcess(['profile', 'show', '--json'], { env: { TZ } });
  const row = JSON.parse(stdout).find(({ setting }: { setting: string }) => setting === 'timezone');
  return [row.value, stderr];
};

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [':/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
  ['/usr/share/zoneinfo/posix/Asia/Kolkata', 'Asia/Kolkata'],
  ['UTC+3', '-03:00'],
  ['<-03>3', '-03:00'],
  ['EST5', '-05:00'],
  ['IST-14', '+14:00'],
  ['UTC0', 'UTC'],
  ['UTC+5:30', '-05:30'],
  ['<+0545>-05:45', '+05:45'],
])('R19 TZ=%s is %s', async (tz, zone) => {
  expect(await zoneWith(tz)).toEqual([zone, '']);
});

it.each(['Europ/Berlin', 'UTC+99'])('R19 TZ=%s is UTC, with a warning', async (tz) => {
  expect(await zoneWith(tz)).toEqual([
    'UTC',
    expect.stringContaining(`warning: TZ=${tz} is not a time zone`),
  ]);
});

const START = 'time-requests create --member 17 --contract 3 --start';

it.each([
  ['UTC+3', 'profile show', 'TZ=UTC+3 is read as −03:00, without summer time.'],
  [
    'UTC-5:30',
    `${START} 2026-11-20T09:00 --end 2026-11-20T10:00 --dry-run`,
    'TZ=UTC-5:30 is read as +05:30, without',
  ],
  [
    'Europe/Berlin',
    `${START} 2026-10-25T02:30 --end 2026-10-25T05:00 --dry-run`,
    '2026-10-25T02:30 comes twice in Europe/Berlin: the first is meant, +02:00. For the second, add +01:00.',
  ],
])('R19 what is not plain is told once: TZ=%s %s', async (TZ, line, note) => {
  const { stderr } = await runInProcess(words(line), {
    env: { TZ, TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7', TTCTL_BASE_URL: 'http://127.0.0.1:9' },
  });
  expect(stderr.split(note)).toHaveLength(2);
});
