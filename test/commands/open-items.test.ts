import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { sitDown } from '../support/terminal.ts';

/** Who archives somebody reads first what they have open, in the sandbox. */

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = makeFolder();
  env = { TTCTL_STATE_DIR: folder, TTCTL_CONFIG_DIR: join(folder, 'config'), TTCTL_PROFILE: 'sandbox' };
});

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
const LINE = 'members archive arjun@lindenhof.example';

describe('members archive', () => {
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
  });

  it('and reads nothing for it with --yes', async () => {
    await run('sandbox log --clear');
    const { exit, stderr } = await run('members archive 106 --yes');
    expect([exit, stderr.includes('!')]).toEqual([0, false]);
    const log = JSON.parse((await run('sandbox log --json')).stdout);
    const read = log.map(({ operation }: { operation: string }) => operation);
    expect(read).toContain('members.archive');
    for (const operation of ['contracts.list', 'tasks.list', 'leaves.list', 'timesheets.list'])
      expect(read).not.toContain(operation);
  });

  it('is in the result of each of several', async () => {
    const line = 'members archive aoife@lindenhof.example tomasz@lindenhof.example';
    const codes = async (how: string) =>
      JSON.parse((await run(`${line} --json ${how}`)).stdout).map(
        ({ warnings }: { warnings: readonly string[] }) => warnings,
      );
    const planned = await codes('--dry-run');
    expect(planned).toEqual([expect.arrayContaining(['contract']), expect.arrayContaining(['contract'])]);
  });

  it('says what could not be read', async () => {
    await run('sandbox fault add leaves list --status 403');
    const { stderr } = await run('members archive mei@lindenhof.example --dry-run');
    expect(stderr).toContain('; could not be read: leave requests.');
  });
});
