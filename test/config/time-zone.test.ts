import { expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';

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
  ['UTC+3', 'Etc/GMT+3'],
  ['<-03>3', 'Etc/GMT+3'],
  ['EST5', 'Etc/GMT+5'],
  ['IST-14', 'Etc/GMT-14'],
  ['UTC0', 'UTC'],
])('R19 TZ=%s is %s', async (tz, zone) => {
  expect(await zoneWith(tz)).toEqual([zone, '']);
});

it.each(['Europ/Berlin', 'UTC+5:30', 'UTC+99'])('R19 TZ=%s is UTC, with a warning', async (tz) => {
  expect(await zoneWith(tz)).toEqual([
    'UTC',
    expect.stringContaining(`warning: TZ=${tz} is not a time zone`),
  ]);
});

it('R19 an offset is told of', async () => {
  const { stderr } = await runInProcess(['profile', 'show'], { env: { TZ: 'UTC+3' } });
  expect(stderr).toContain('TZ=UTC+3 is read as −03:00, without summer time.');
});
