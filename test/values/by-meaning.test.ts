import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** A service that writes numbers as texts, ids too, and statuses in another case: the same values. */

const PAGING = new Set(['current_page', 'last_page', 'per_page', 'total', 'total_pages', 'page']);

const toTexts = (name: string, value: unknown) => {
  if (typeof value === 'number' && !PAGING.has(name))
    return /^(rate|amount|weekly_hours_limit|total_hours)$/.test(name) ? value.toFixed(2) : String(value);
  return name === 'status' && typeof value === 'string' ? value.toUpperCase() : value;
};

const t = useCli();
let service: FaultyService;
let isText: boolean | 'every other row';
beforeEach(async () => {
  isText = false;
  service = await startFaultyService({
    seed: 'agency',
    keyOf: (line) => line,
    rewrite: (line, answer) => {
      if (isText === false || !line.startsWith('GET')) return answer;
      const plain = JSON.parse(answer.body);
      const texts = JSON.parse(answer.body, toTexts);
      if (isText !== true && Array.isArray(plain.data))
        texts.data = plain.data.map((row: unknown, i: number) => (i % 2 ? row : texts.data[i]));
      return { ...answer, body: JSON.stringify(texts) };
    },
  });
});
afterEach(() => service.close());

const run = (line: string) => t.run(line, { env: service.env });
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).stdout || '[]');

it.each([
  [false, true],
  [true, false],
  [true, true],
])('R11: workspaces diff of its own export is clean (as texts: %s, then %s)', async (first, then) => {
  isText = first;
  const exported = await run(`workspaces export ${t.file('files')}`);
  expect(exported.exit, exported.stderr).toBe(0);
  isText = then;
  const { exit, stdout, stderr } = await run(`workspaces diff ${t.file('files')}`);
  expect([exit, stderr], stdout).toEqual([0, expect.stringContaining('The workspace matches the files')]);
});

it('R11: what waits is found and approved, its numbers compared', async () => {
  const where = '"total_hours > `1` && member.id != `1`"';
  const line = `timesheets approve --all --yes --dry-run --json --where ${where}`;
  const approved = await run(line);
  isText = true;
  const asTexts = await run(line);
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
  const when = "status == 'SUBMITTED' && user_id != '0'";
  const rule = `[{"name":"all","kind":"timesheet","when":"${when}","then":"approve"}]`;
  const file = t.file('rules.json', rule);
  const { exit, stdout, stderr } = await run(`inbox decide --rules ${file} --yes --dry-run --json`);
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout).length).toBeGreaterThan(0);
});

it.each(['members', 'leaves'])('R11: plan and undo hold where %s are written otherwise', async (noun) => {
  const plan = t.file('plan.ndjson');
  const isLeave = noun === 'leaves';
  const [{ id }] = await json(isLeave ? 'leaves list --status pending' : 'members list --role regular-user');
  const write = isLeave ? `leaves approve ${id}` : `members update ${id} --weekly-hours-limit 17`;
  expect((await run(`${write} --plan ${plan}`)).exit).toBe(0);
  isText = true;
  const checked = await run(`plan check ${plan}`);
  expect([checked.exit, checked.stdout]).toEqual([0, expect.any(String)]);
  const applied = await run(`plan apply ${plan} --yes`);
  expect(applied.exit, applied.stderr).toBe(0);
  const again = await run(`${write} --yes --json`);
  expect(again.stdout).toContain('"unchanged"');
  if (isLeave) return;
  const [last] = await json('history list --limit 1');
  expect((await run(`undo ${last.id} --yes`)).exit).toBe(0);
});

it('R11: groups are of values, however they are written', async () => {
  isText = 'every other row';
  const groups: readonly Row[] = await json('timesheets list --group-by status,user_id');
  const keys = groups.map(({ status, user_id }) => `${status} ${user_id}`.toLowerCase());
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys).size).toBe(keys.length);
});
