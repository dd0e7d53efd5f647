import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { type OAuthService, type ServiceHome, serviceHome, startOAuthService } from '../support/oauth.ts';
import { runBinary } from '../support/process.ts';

/** Renewing on a disk that takes no more: old or new, and never a token that is lost. */

const mount = (folder: string, options: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const unmount = (folder: string): void => {
  execFileSync('umount', [folder], { stdio: 'ignore' });
};

const probe = makeFolder();
const canMount = mount(probe, 'size=64k');
if (canMount) unmount(probe);
if (!canMount) process.stderr.write('not tried: no disk can be mounted here, so none can be filled\n');

let service: OAuthService;
beforeAll(async () => {
  service = await startOAuthService();
});
afterAll(() => service.close());

const env = (home: ServiceHome, config: string) => ({ ...home.env, TTCTL_CONFIG_DIR: config });

describe.skipIf(!canMount)('a disk of any size', () => {
  const sizes = Array.from({ length: 34 }, (_, n) => 12 + n * 4);
  const ENOUGH = 8;

  it('keeps the old sign-in whole, unasked, or has the new one', async () => {
    const ends = { old: 0, new: 0 };
    for (const size of sizes) {
      // What it is on a disk with room for all is seen by now.
      if (ends.new === ENOUGH) break;
      const home = serviceHome(service);
      const first = service.issue();
      home.keep(first);
      const disk = join(home.folder, 'disk');
      mkdirSync(disk);
      mount(disk, `size=${size}k,mode=700`);
      try {
        const file = join(disk, 'credentials.json');
        const before = readFileSync(home.file);
        writeFileSync(file, before, { mode: 0o600 });
        writeFileSync(join(disk, 'settings.json'), readFileSync(join(home.config, 'settings.json')), {
          mode: 0o600,
        });
        const calls = service.calls.length;
        const { exit, stderr } = await runBinary(['auth', 'refresh', '--json'], { env: env(home, disk) });
        const asked = service.calls.length - calls;
        if (exit === 0) {
          const { access_token, refresh_token } = JSON.parse(readFileSync(file, 'utf8')).profiles.default;
          expect([asked, service.isLive({ access: access_token, refresh: refresh_token })]).toEqual([
            1,
            true,
          ]);
          ends.new += 1;
        } else {
          expect([exit, JSON.parse(stderr).error.code], stderr).toEqual([1, 'disk_full']);
          expect(readFileSync(file)).toEqual(before);
          expect([asked, service.isLive(first)]).toEqual([0, true]);
          ends.old += 1;
        }
        expect(readdirSync(disk).filter((name) => /^credentials\.json\..*\.tmp$/.test(name))).toEqual([]);
      } finally {
        unmount(disk);
        home.remove();
      }
    }
    // Both ends were seen.
    expect([ends.old > 2, ends.new], JSON.stringify(ends)).toEqual([true, ENOUGH]);
  });

  it('that is read-only asks nobody, and uses the token that still works', async () => {
    const home = serviceHome(service);
    home.keep(service.issue(), 60_000);
    const disk = join(home.folder, 'disk');
    mkdirSync(disk);
    mount(disk, 'size=256k,mode=700');
    try {
      for (const name of ['credentials.json', 'settings.json'])
        writeFileSync(join(disk, name), readFileSync(join(home.config, name)), { mode: 0o600 });
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      const calls = service.calls.length;
      const list = await runBinary(['workspaces', 'list'], { env: env(home, disk) });
      expect(list.exit, list.stderr).toBe(0);
      expect(list.stderr).toContain('was not renewed');
      expect((await runBinary(['auth', 'refresh'], { env: env(home, disk) })).exit).toBe(1);
      expect(service.calls.length).toBe(calls);
    } finally {
      unmount(disk);
      home.remove();
    }
  });
});

describe('a place that cannot be written', () => {
  it.each(['credentials.json.lock', 'credentials.json.refresh.lock'])(
    'because of %s: exit 1, nobody is asked, all as it was',
    async (name) => {
      const home = serviceHome(service);
      const first = service.issue();
      home.keep(first, -1000);
      const before = home.text();
      // A file where a folder is needed.
      writeFileSync(join(home.config, name), '');
      const calls = service.calls.length;
      const { exit, stderr } = await runBinary(['workspaces', 'list'], { env: home.env });
      expect(exit).toBe(1);
      expect(stderr).toContain(name.replace('.lock', ''));
      expect([service.calls.length, home.text(), service.isLive(first)]).toEqual([calls, before, true]);
      home.remove();
    },
  );
});
