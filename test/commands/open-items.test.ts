import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sitDown } from '../support/at-a-terminal.ts';
import { runInProcess } from '../support/in-process.ts';
import { words } from '../support/words.ts';

/** Who archives somebody reads first what they have open, in the sandbox. */

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-open-items-'));
  env = { TTCTL_STATE_DIR: folder, TTCTL_CONFIG_DIR: join(folder, 'config'), TTCTL_PROFILE: 'sandbox' };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (line: string) => runInProcess(words(line), { env });
const listWrites = async () =>
  JSON.parse((await run('sandbox log --json')).stdout)
    .filter(({ method }: { method: string }) => method !== 'GET')
    .map(({ operation }: { operation: string }) => operation);

/** What Arjun has in the seed. */
const OPEN = [
  /! leave \w{3} \d.* is waiting for a decision \(/,
  /! time request \w{3} \d.* is waiting for a decision \(/,
  /! timesheet \w{3} \d.* is waiting for a decision \(/,
  /! contract on Harbour website \(122\)/,
  /! contract on Ferry timetable app \(124\)/,
  /! contract on Support and care \(131\)/,
  /! task Home page layout \(132\)/,
  /! task Offline timetable \(135\)/,
  /3 waiting for a decision, 3 contracts, 2 tasks\./,
];
const LINE = 'members archive arjun@lindenhof.example --with-open-items';

describe('members archive --with-open-items', () => {
  it('shows what waits and what is assigned before the question', async () => {
    const { screen, prompts } = await sitDown(words(LINE), { env, columns: 100, answer: () => 'n\r' });
    expect(prompts.map(({ kind }) => kind)).toEqual(['confirm']);
    for (const line of OPEN.slice(3, -1)) expect(screen).toMatch(line);
    expect(await listWrites()).toEqual([]);
  });

  it('shows it in a dry run', async () => {
    const { exit, stderr } = await run(`${LINE} --dry-run`);
    expect(exit).toBe(0);
    for (const line of OPEN) expect(stderr).toMatch(line);
    expect((await run('members archive arjun@lindenhof.example --dry-run')).stderr).not.toContain('!');
  });

  it('and with --yes, then decides nothing about it', async () => {
    const { exit, stderr } = await run(`${LINE} --yes`);
    expect(exit).toBe(0);
    for (const line of OPEN) expect(stderr).toMatch(line);
    expect(await listWrites()).toEqual(['members.archive']);
  });

  it('is in the result of each of several too', async () => {
    const line = 'members archive aoife@lindenhof.example tomasz@lindenhof.example --with-open-items';
    const codes = async (how: string) =>
      JSON.parse((await run(`${line} --json ${how}`)).stdout).map(
        ({ warnings }: { warnings: readonly string[] }) => warnings,
      );
    const planned = await codes('--dry-run');
    expect(planned).toEqual([expect.arrayContaining(['contract']), expect.arrayContaining(['contract'])]);
    expect(await codes('--yes')).toEqual(planned);
  });

  it('says what could not be read', async () => {
    await run('sandbox fault add leaves list --status 403');
    const { stderr } = await run('members archive mei@lindenhof.example --with-open-items --dry-run');
    expect(stderr).toContain('; could not be read: leave requests.');
  });
});
