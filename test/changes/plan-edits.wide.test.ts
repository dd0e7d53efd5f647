import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { allOperations, findOperation } from '../../src/api/operations.ts';
import { formatRun } from '../../src/changes/journal.ts';
import { buildStoredRequest, parseStoredRequest } from '../../src/changes/log.ts';
import {
  describePlanRow,
  describeWrite,
  listPlanWarnings,
  type PlanWrite,
  parsePlan,
  readPlan,
} from '../../src/changes/plan.ts';
import { UsageError } from '../../src/errors.ts';
import { isSameJson } from '../../src/json.ts';
import type { Run } from '../../src/run.ts';
import { prepareSample, samples } from '../samples.ts';
import { useCli } from '../support/use-cli.ts';

/** What somebody could do to a plan who makes its checksum again: it is refused, or it shows. */

const sandbox = useCli({ sandbox: 'demo', shared: true });
const { run, read, file } = sandbox;

const openPlan = (name: string) => {
  const { head, rows } = parsePlan(sandbox.text(name), name);
  const { sha256: _, ...rest } = head;
  return { head: rest, rows, row: rows[0] as PlanWrite };
};

/** Of every write, a plan of one row. */
const plans: ReturnType<typeof openPlan>[] = [];
beforeAll(async () => {
  await read('sandbox snapshot save before');
  for (const sample of samples) {
    const { line } = await prepareSample(sandbox, sample);
    await read(`${line} --plan ${file('plan.ndjson')}`);
    plans.push(openPlan('plan.ndjson'));
    if (sample.before !== undefined) await read('sandbox snapshot restore before');
  }
  expect(plans.map(({ rows }) => rows.length)).toEqual(samples.map(() => 1));
}, 120_000);

/** What `plan show` and the question of `plan apply` say; undefined where the plan is refused. */
const say = async ({ head }: Pick<(typeof plans)[number], 'head'>, row: PlanWrite) => {
  const stdin = Readable.from([formatRun(head, [row])]);
  const machine = { stdin, interrupted: new AbortController().signal };
  try {
    const plan = await readPlan({ machine } as unknown as Run, '-');
    const cells = plan.rows.map((one) => [one.label, one.operation, one.target, describePlanRow(one)]);
    return JSON.stringify([...cells, listPlanWarnings(plan)]);
  } catch (error) {
    if (error instanceof UsageError && error.code === 'bad_plan') return undefined;
    throw error;
  }
};

/** The row with another request, and all that follows from it: whoever forges it has this program too. */
const forge = async ({ head }: Pick<(typeof plans)[number], 'head'>, row: PlanWrite, request: object) => {
  const meaning = parseStoredRequest({ ...row.request, ...request });
  if (meaning === undefined) throw new Error(row.operation);
  const {
    others: _,
    isDeletion: _deletes,
    lasting: _lasting,
    ...said
  } = await describeWrite(meaning, row.seen);
  return { ...row, ...said, request: buildStoredRequest(meaning, head) };
};

const NAMES = 'role current_role memberId workspace_id email rate notes status userId raw'.split(' ');
const VALUES = fc.oneof(
  fc.constantFrom<unknown>(
    ...['107', '114', '101', '', ' ', '–', 'null', 'true', '20', '1', 'Team manager', 'archive', 'now'],
    ...['a, role: Executive Manager', 'a  b', 'a\u200bb', 'a\nb', 'é', 'e\u0301', '1 → 2', '"a"', '%E0%A4%A'],
    ...[20, 20.5, 0, 1, 2, -1, true, false, null],
  ),
  fc.constantFrom<unknown>([], ['x'], ['x, y'], ['x', 'y'], [107], {}, { a: 1 }, { a: '1' }),
  fc.string(),
);

it('S1: a plan is refused, or shows it, wherever a row was edited', async () => {
  const edits = fc.record({
    place: fc.nat({ max: 30 }),
    how: fc.constantFrom('replace', 'remove', 'add', 'rename'),
    name: fc.oneof(fc.constantFrom(...NAMES), fc.string()),
    value: VALUES,
  });
  type Edit = { place: number; how: string; name: string; value: unknown };
  /** Anywhere but in `n`, and in `seen`, which is compared with the record. */
  const edit = ({ n, seen, ...row }: PlanWrite, { place, how, name, value }: Edit): PlanWrite => {
    let at = 0;
    const edited = JSON.parse(JSON.stringify(row), function (this: Record<string, unknown>, key, old) {
      at += 1;
      if (at !== place || (key === '' && how !== 'add')) return old;
      if (how === 'add') return Object(old) === old ? Object.assign(old, { [name]: value }) : old;
      if (how === 'rename') this[name] = old;
      return how === 'replace' ? value : undefined;
    });
    return { ...edited, n, seen };
  };
  const all = fc.array(edits, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: samples.length - 1 }), all, async (n, changes) => {
      const plan = plans[n] as (typeof plans)[number];
      const forged = changes.reduce(edit, plan.row);
      fc.pre(!isSameJson(forged, plan.row));
      expect(await say(plan, forged)).not.toBe(await say(plan, plan.row));
    }),
    { numRuns: 3000 },
  );
});

it('S1: a plan is refused, or shows it, where all of a row was made to agree with another request', async () => {
  const parameters = allOperations.flatMap((operation) => Object.keys(operation.parameters));
  const requests = fc.record({
    id: fc.constantFrom(undefined, '107', '114', '9', 'a%20b'),
    fields: fc.dictionary(fc.constantFrom(...new Set([...parameters, ...NAMES])), VALUES, { maxKeys: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: samples.length - 1 }), requests, async (n, { id, fields }) => {
      const plan = plans[n] as (typeof plans)[number];
      const { path, body } = plan.row.request;
      const other = id === undefined ? path : path.replace(/[^/]*\d[^/]*/, id);
      const request = { path: other, body: { ...Object(body), ...fields } };
      const forged = await forge(plan, plan.row, request).catch((error) => {
        if (!(error instanceof UsageError)) throw error;
      });
      fc.pre(forged !== undefined && JSON.stringify(forged.request) !== JSON.stringify(plan.row.request));
      expect(await say(plan, forged as PlanWrite)).not.toBe(await say(plan, plan.row));
    }),
    { numRuns: 3000 },
  );
});

it('a plan shows what `--field` adds, which is nobody’s forgery, and names no new record by it', async () => {
  for (const plan of plans) {
    const body = { ...Object(plan.row.request.body), added: 'by hand' };
    const text = await say(plan, await forge(plan, plan.row, { body }));
    expect(text, plan.row.operation).toContain('raw field added: by hand');
  }
  const invited = plans.find(({ row }) => row.operation === 'members.invite') as (typeof plans)[number];
  const body = { ...Object(invited.row.request.body), name: 'Nora' };
  const forged = await forge(invited, invited.row, { body });
  expect(forged.target).toBe('new@n.example');
  expect(await say(invited, forged)).toContain('raw field name: Nora');
});

it('a plan has requests of its own workspace alone', async () => {
  for (const { head, row } of plans) {
    const isAnywhere = findOperation(row.operation)?.workspace === 'none';
    const said = await say({ head: { ...head, workspace_id: 146 } }, row);
    expect(said, row.operation).toBe(isAnywhere ? await say({ head }, row) : undefined);
  }
});

it('S1: a plan with what is recorded of another record says so offline, is moved, and is not sent', async () => {
  await read('sandbox reset --seed demo');
  const rows = file('rows.csv', 'id,weekly_hours_limit\n106,32\n107,24\n');
  await read(`members update --from-file ${rows} --plan ${file('plan.ndjson')}`);
  const plan = openPlan('plan.ndjson');
  // What is recorded of Mei stands beside a request for Lucas.
  const request = { path: '/members/107', body: { role: 'Executive Manager' } };
  const forged = await forge(plan, plan.row, request);
  const path = file('forged.ndjson', formatRun({ ...plan.head, rows: 1 }, [forged]));
  const shown = await read(`plan show ${path}`);
  expect(shown).toMatch(/Mei Tanaka .* members\.update +107 +role: Executive Manager\n/);
  expect(shown).toContain('recorded   names and old values: plan check compares them');
  const check = await run(`plan check ${path} --json`);
  expect([check.exit, JSON.parse(check.stdout)]).toMatchObject([10, [{ target: '107', status: 'moved' }]]);
  const apply = await run(`plan apply ${path} --yes --json`);
  const label = 'Lucas Ferreira  lucas@lindenhof.example';
  const skipped = { target: '107', status: 'skipped', label, error: { code: 'moved' } };
  expect([apply.exit, JSON.parse(apply.stdout)]).toMatchObject([8, [skipped]]);
});

it.each<[string, request: object, row?: object]>([
  ['a path that cannot be decoded', { path: '/members/%E0%A4%A' }],
  ['a query of its own', { query: { workspace_id: '101', as: 'x' } }],
  ['another workspace in the query', { query: { workspace_id: '102' } }],
  ['another workspace in the body', { body: { workspace_id: 102, weekly_hours_limit: 32 } }],
  ['an id in its body', { body: { workspace_id: 101, memberId: 107, weekly_hours_limit: 32 } }],
  ['a member that no row has', {}, { approved: true }],
])('S1: a plan is refused by show, check and apply that has %s', async (_name, request, more) => {
  await read(`members update 106 --weekly-hours-limit 30 --plan ${file('plan.ndjson')}`);
  const { head, row } = openPlan('plan.ndjson');
  const forged = { ...row, request: { ...row.request, ...request }, ...more };
  const path = file('forged.ndjson', formatRun(head, [forged]));
  for (const line of ['plan show', 'plan check', 'plan apply --yes', 'plan apply']) {
    const { exit, stdout, stderr } = await run(`${line} ${path} --json`);
    expect([exit, stdout, JSON.parse(stderr).error.code], line).toEqual([2, '', 'bad_plan']);
  }
});
