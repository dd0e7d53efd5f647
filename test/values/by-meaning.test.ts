import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SandboxResponse } from '../../src/sandbox/answer.ts';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';

/** A service that writes numbers as texts, ids too, and statuses in another case: the same values. */

const PAGING = new Set(['current_page', 'last_page', 'per_page', 'total', 'total_pages', 'page']);

const toTexts = (answer: string): string =>
  JSON.stringify(JSON.parse(answer), (name, value) => {
    if (typeof value === 'number' && !PAGING.has(name))
      return /^(rate|amount|weekly_hours_limit|total_hours)$/.test(name) ? value.toFixed(2) : String(value);
    return name === 'status' && typeof value === 'string' ? value.toUpperCase() : value;
  });

let folder: string;
let service: FaultyService;
let isText: boolean;
beforeEach(async () => {
  folder = makeFolder();
  isText = false;
  const rewrite = (line: string, answer: SandboxResponse): SandboxResponse =>
    isText && line.startsWith('GET') ? { ...answer, body: toTexts(answer.body) } : answer;
  service = await startFaultyService({ seed: 'agency', rewrite, keyOf: (line) => line });
});
afterEach(() => service.close());

const run = (line: string) =>
  runInProcess(words(line), {
    env: { ...service.env, TTCTL_STATE_DIR: join(folder, 'state'), TTCTL_CONFIG_DIR: join(folder, 'config') },
  });

it.each([
  [false, true],
  [true, false],
  [true, true],
])('R11: workspaces diff of its own export is clean (as texts: %s, then %s)', async (first, then) => {
  isText = first;
  const exported = await run(`workspaces export ${join(folder, 'files')}`);
  expect(exported.exit, exported.stderr).toBe(0);
  isText = then;
  const { exit, stdout, stderr } = await run(`workspaces diff ${join(folder, 'files')}`);
  expect([exit, stderr], stdout).toEqual([0, expect.stringContaining('The workspace matches the files')]);
});

it('R11: what waits is found and approved, its numbers compared', async () => {
  const line = 'timesheets approve --all --yes --dry-run --json';
  const approved = await run(`${line} --where "total_hours > \`1\` && member.id != \`1\`"`);
  isText = true;
  const asTexts = await run(`${line} --where "total_hours > \`1\` && member.id != \`1\`"`);
  expect(JSON.parse(approved.stdout).length).toBeGreaterThan(0);
  expect([asTexts.exit, asTexts.stderr]).toEqual([0, approved.stderr]);
  expect(JSON.parse(asTexts.stdout)).toHaveLength(JSON.parse(approved.stdout).length);
});

/** What waits, chosen in several ways of writing it. */
it.each([
  "status == 'SUBMITTED'",
  "contains(['Submitted'], status) && member.id != '0'",
  "record.status != 'OPEN' && total_hours != '0.00'",
])('R11: --where compares by meaning: %s', async (where) => {
  const choose = (condition: string) =>
    run(`timesheets approve --all --yes --dry-run --json --where "${condition}"`);
  const wanted = JSON.parse((await choose("status == 'submitted' && total_hours != `0`")).stdout);
  expect(wanted.length).toBeGreaterThan(0);
  for (isText of [false, true]) {
    const { exit, stdout, stderr } = await choose(where);
    expect([exit, JSON.parse(stdout || '[]').length], stderr).toEqual([0, wanted.length]);
  }
});

it('R11: a rule compares by meaning', async () => {
  const file = join(folder, 'rules.json');
  const when = "status == 'SUBMITTED' && user_id != '0'";
  writeFileSync(file, `[{"name":"all","kind":"timesheet","when":"${when}","then":"approve"}]`);
  const { exit, stdout, stderr } = await run(`inbox decide --rules ${file} --yes --dry-run --json`);
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout).length).toBeGreaterThan(0);
});

it.each(['members', 'leaves'])(
  'R11: a plan and its undo hold where %s are written otherwise',
  async (noun) => {
    const plan = join(folder, 'plan.ndjson');
    const [one] = JSON.parse(
      (
        await run(
          noun === 'leaves'
            ? 'leaves list --status pending --json'
            : 'members list --role regular-user --json',
        )
      ).stdout,
    );
    const write =
      noun === 'leaves' ? `leaves approve ${one.id}` : `members update ${one.id} --weekly-hours-limit 17`;
    expect((await run(`${write} --plan ${plan}`)).exit).toBe(0);
    isText = true;
    const checked = await run(`plan check ${plan}`);
    expect([checked.exit, checked.stdout]).toEqual([0, expect.any(String)]);
    const applied = await run(`plan apply ${plan} --yes`);
    expect(applied.exit, applied.stderr).toBe(0);
    const again = await run(`${write} --yes --json`);
    expect(again.stdout).toContain('"unchanged"');
    if (noun === 'leaves') return;
    const [{ id }] = JSON.parse((await run('history list --limit 1 -o json')).stdout);
    expect((await run(`undo ${id} --yes`)).exit).toBe(0);
  },
);

it('R11: groups are of values, however they are written', async () => {
  await service.close();
  service = await startFaultyService({
    seed: 'agency',
    keyOf: (line) => line,
    rewrite: (_, answer) => {
      const { data, ...rest } = JSON.parse(answer.body);
      const rows = JSON.parse(toTexts(JSON.stringify(data)));
      if (!Array.isArray(data)) return answer;
      return {
        ...answer,
        body: JSON.stringify({ ...rest, data: data.map((row, i) => (i % 2 ? row : rows[i])) }),
      };
    },
  });
  const { stdout } = await run('timesheets list --group-by status,user_id --json');
  const keys = JSON.parse(stdout).map((row: { status: string; user_id: unknown }) =>
    `${row.status} ${row.user_id}`.toLowerCase(),
  );
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys).size).toBe(keys.length);
});
