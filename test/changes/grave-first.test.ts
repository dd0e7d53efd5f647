import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { sitDown } from '../support/terminal.ts';

/** What a question says of many changes: whoever agrees must not overlook the one that matters. */

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = makeFolder();
  env = {
    TTCTL_STATE_DIR: join(folder, 'state'),
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_PROFILE: 'sandbox',
    TTCTL_RATE_LIMIT: 'off',
  };
  await runInProcess(words('sandbox reset --seed agency'), { env });
});

const ask = async (line: string) => {
  const { screen } = await sitDown(words(line), { env, answer: () => 'n\r', columns: 120 });
  return screen;
};

/** A file of new hours for every member; one of them, in the middle, gets another role. */
const writeRows = async (): Promise<{ readonly file: string; readonly count: number }> => {
  const { stdout } = await runInProcess(words('members list --status active --json'), { env });
  const members = (JSON.parse(stdout) as { id: number; current_role: string }[]).filter(
    ({ current_role }) => current_role === 'Regular User',
  );
  const rows = members.map(({ id }, n) => `${id},17,${n === 7 ? 'Team manager' : ''}`);
  const file = join(folder, 'rows.csv');
  writeFileSync(file, ['id,weekly_hours_limit,role', ...rows].join('\n'));
  return { file, count: rows.length };
};

describe('S4: a question over several records', () => {
  it('counts the changes by field, and shows the grave first', async () => {
    const { file, count } = await writeRows();
    expect(count).toBeGreaterThan(10);
    const screen = await ask(`members update --from-file ${file}`);
    expect(screen).toMatch(new RegExp(`fields +role 1, hours a week ${count}\\n`));
    const [, first] = /\n\n {2}(.*)\n/.exec(screen) ?? [];
    expect(first).toMatch(/ role: Regular User → Team manager, hours a week: \d+ → 17 /);
  });

  it('does so for a plan and an undo', async () => {
    const { file, count } = await writeRows();
    const plan = join(folder, 'plan.ndjson');
    await runInProcess(words(`members update --from-file ${file} --plan ${plan}`), { env });
    const screen = await ask(`plan apply ${plan}`);
    expect(screen).toMatch(new RegExp(`fields +role 1, hours a week ${count}\\n`));
    expect(/\n\n {2}(.*)\n/.exec(screen)?.[1]).toMatch(/ role: Regular User → Team manager, hours/);
    await runInProcess(words(`plan apply ${plan} --yes`), { env });
    const { stdout } = await runInProcess(words('jobs list --json'), { env });
    const [{ id = '' } = {}] = JSON.parse(stdout);
    const undo = await ask(`undo ${id}`);
    expect(undo).toMatch(new RegExp(`fields +role 1, hours a week ${count}\\n`));
    expect(/\n\n {2}(.*)\n/.exec(undo)?.[1]).toMatch(/ role: Team manager → Regular User, hours/);
  });

  it('calls nothing moved that is as a plan would make it', async () => {
    const { stdout } = await runInProcess(words('members list --status active -o ids'), { env });
    const [one, another, third] = stdout.split('\n').slice(-4);
    const [rows, plan] = [join(folder, 'three.csv'), join(folder, 'three.ndjson')];
    writeFileSync(rows, `id,weekly_hours_limit\n${one},23\n${another},23\n${third},23\n`);
    await runInProcess(words(`members update --from-file ${rows} --plan ${plan}`), { env });
    await runInProcess(words(`members update ${one} --weekly-hours-limit 23`), { env });
    await runInProcess(words(`members update ${another} --weekly-hours-limit 24`), { env });
    expect(await ask(`plan apply ${plan}`)).toMatch(/moved +1 changed since/);
  });

  it('counts no ids of what a member is assigned to', async () => {
    const { stdout } = await runInProcess(words('tasks list --project 162 --limit 1 --output ids'), { env });
    const screen = await ask(`tasks assign ${stdout.trim()} --project 162 --member 106 --member 107`);
    expect(screen).toMatch(/ task +\d+\n/);
    expect(screen).not.toContain('fields');
  });

  it('names deletions before all', async () => {
    const { stdout } = await runInProcess(words('expenses list --limit 2 --output ids'), { env });
    const screen = await ask(`expenses delete ${stdout.trim().split('\n').join(' ')}`);
    expect(screen).toMatch(/fields +deletion 2\n/);
  });
});
