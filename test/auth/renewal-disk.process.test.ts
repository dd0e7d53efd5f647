import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { home, run, service, useService } from '../support/oauth.ts';

/** Renewing on a disk that takes no more: old or new, and never a token that is lost. */

useService();
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
if (!canMount) process.stderr.write('not tried: no disk can be mounted here, so none can be filled\n');

/** The settings and the credentials of the home on a disk of their own, which is there while `work` goes on. */
const onDisk = async (options: string, work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = join(home.folder, 'disk');
  mkdirSync(folder, { recursive: true });
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=700`, 'tmpfs', folder]).status).toBe(0);
  try {
    for (const name of ['settings.json', 'credentials.json'])
      writeFileSync(join(folder, name), readFileSync(join(home.config, name)), { mode: 0o600 });
    await work(folder);
  } finally {
    spawnSync('umount', [folder]);
  }
};

describe.skipIf(!canMount)('a disk', () => {
  it('of any size keeps the old sign-in whole, unasked, or has the new one', async () => {
    const ends = { old: 0, new: 0 };
    // What it is on a disk with room for all is seen by then.
    for (let size = 12; ends.new < 8 && size < 150; size += 4) {
      const first = service.issue();
      home.keep(first);
      await onDisk(`size=${size}k`, async (disk) => {
        const file = join(disk, 'credentials.json');
        const [before, calls] = [readFileSync(file, 'utf8'), service.calls.length];
        const { exit, stderr } = await run('auth refresh --json', { TTCTL_CONFIG_DIR: disk });
        const asked = service.calls.length - calls;
        if (exit === 0) {
          const { access_token, refresh_token } = JSON.parse(readFileSync(file, 'utf8')).profiles.default;
          const pair = { access: access_token, refresh: refresh_token };
          expect([asked, service.isLive(pair)]).toEqual([1, true]);
          ends.new += 1;
        } else {
          expect([exit, JSON.parse(stderr).error.code], stderr).toEqual([1, 'disk_full']);
          expect([asked, service.isLive(first), readFileSync(file, 'utf8')]).toEqual([0, true, before]);
          ends.old += 1;
        }
        expect(readdirSync(disk).filter((name) => /^credentials\.json\..*\.tmp$/.test(name))).toEqual([]);
      });
    }
    // Both ends were seen.
    expect([ends.old > 2, ends.new], JSON.stringify(ends)).toEqual([true, 8]);
  });

  it('that is read-only asks nobody, and uses the token that still works', async () => {
    home.keep(service.issue(), 60_000);
    await onDisk('size=256k', async (disk) => {
      spawnSync('mount', ['-o', 'remount,ro', disk]);
      const { exit, stderr } = await run('workspaces list', { TTCTL_CONFIG_DIR: disk });
      expect([exit, stderr]).toEqual([0, expect.stringContaining('was not renewed')]);
      expect((await run('auth refresh', { TTCTL_CONFIG_DIR: disk })).exit).toBe(1);
      expect(service.calls).toEqual([]);
    });
  });
});

it.each(['credentials.json.lock', 'credentials.json.refresh.lock'])(
  'a place that cannot be written because of %s: exit 1, nobody is asked, all as it was',
  async (name) => {
    const first = service.issue();
    home.keep(first, -1000);
    const before = home.text();
    // A file where a folder is needed.
    writeFileSync(join(home.config, name), '');
    const { exit, stderr } = await run('workspaces list');
    expect([exit, stderr]).toEqual([1, expect.stringContaining(name.replace('.lock', ''))]);
    expect([service.calls, home.text(), service.isLive(first)]).toEqual([[], before, true]);
  },
);
