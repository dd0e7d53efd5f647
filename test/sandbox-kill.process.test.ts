import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { words } from './support/in-process.ts';
import { cleanHome, finished, type Home, runBinary, startBinary } from './support/process.ts';

/** The embedded sandbox under several processes, and under those that are killed: nothing is lost or done twice. */

let home: Home;
let env: Record<string, string>;
beforeEach(() => {
  home = cleanHome();
  env = { ...home.env, TTCTL_STATE_DIR: join(home.folder, 'state'), TTCTL_PROFILE: 'sandbox' };
});
afterEach(() => home.remove());

const run = (line: string) => runBinary(words(line), { env });
const rows = async (line: string) => JSON.parse((await run(`${line} --json`)).stdout);
/** How much was added to the state since it was written whole. */
const changes = () => {
  const text = readFileSync(join(home.folder, 'state/sandbox/world.json'), 'utf8');
  return text.length - text.split('\n', 1).join('').length;
};

it.skipIf(process.platform === 'win32')(
  'a run that is killed has done what it says, and goes on',
  async () => {
    await run('sandbox reset --seed month-end');
    for (const size of [2_000, 20_000]) {
      const child = startBinary(words('timesheets approve --all --yes --quiet --json'), { env });
      const ended = finished(child);
      await expect.poll(changes, { interval: 5, timeout: 60_000 }).toBeGreaterThan(size);
      child.kill('SIGKILL');
      await ended;
      expect(changes()).toBeGreaterThan(0);
      const [job] = await rows('jobs list');
      const results = await rows(`jobs show ${job.id}`);
      const done = results.filter(({ status }: { status: string }) => status === 'done');
      const approved = new Set(
        (await rows('timesheets list --status approved')).map(({ id }: { id: string }) => id),
      );
      expect(done.length).toBeGreaterThan(0);
      expect(done.filter(({ target }: { target: string }) => !approved.has(target))).toEqual([]);
      expect((await run(`jobs resume ${job.id} --yes --quiet`)).exit).toBe(0);
      expect(await rows('timesheets list --status submitted')).toEqual([]);
      await run('sandbox reset --seed month-end');
    }
  },
);

it('several processes at once lose nothing, and each record has the id that was said', async () => {
  await run('members list --limit 1');
  const names = ['Ada', 'Bo', 'Cy', 'Di'].map((who) => ['One', 'Two', 'Three'].map((n) => `${who} ${n}`));
  const made = await Promise.all(
    names.map(async (mine) => {
      const ids: [number, string][] = [];
      for (const name of mine) {
        const { stdout } = await runBinary(['projects', 'create', '--name', name, '--json'], { env });
        ids.push([JSON.parse(stdout).id, name]);
      }
      return ids;
    }),
  );
  const listed = new Map(
    (await rows('projects list')).map(({ id, name }: { id: number; name: string }) => [id, name]),
  );
  expect(made.flat()).toHaveLength(12);
  expect(made.flat().filter(([id, name]) => listed.get(id) !== name)).toEqual([]);
});
