import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { allOperations, findOperation } from '../../src/api/operations.ts';
import { formatRun, type RunHead } from '../../src/changes/journal.ts';
import {
  describePlanRow,
  describeWrite,
  listPlanWarnings,
  type Plan,
  type PlanWrite,
  parsePlan,
  readPlan,
} from '../../src/changes/plan.ts';
import { UsageError } from '../../src/errors.ts';
import { isSameJson } from '../../src/json.ts';
import type { Run } from '../../src/run.ts';
import { samples } from '../samples.ts';
import { useCli } from '../support/use-cli.ts';

/** What somebody could do to a plan who makes its checksum again: it is refused, or it shows. */

const sandbox = useCli({ sandbox: 'demo', shared: true });
const { run, read: succeed, file: fileOf } = sandbox;

type Head = Omit<RunHead, 'sha256'>;
type Json = Record<string, unknown>;

/** Of every write, a plan of one row. */
const plans: { readonly head: Head; readonly row: PlanWrite }[] = [];

const openPlan = (file: string) => {
  const { head, rows } = parsePlan(readFileSync(file, 'utf8'), file);
  const { sha256: _sum, ...rest } = head;
  return { head: rest, rows };
};

beforeAll(async () => {
  const file = fileOf('plan.ndjson');
  await succeed('sandbox snapshot save before');
  for (const { line, list, before } of samples) {
    if (before !== undefined) await succeed(before);
    const [{ id = '' } = {}] = list === undefined ? [] : JSON.parse(await succeed(`${list} --json`));
    await succeed(`${line.replace('ID', id)} --plan ${file}`);
    const { head, rows } = openPlan(file);
    expect(rows, line).toHaveLength(1);
    for (const row of rows) plans.push({ head, row });
    if (before !== undefined) await succeed('sandbox snapshot restore before');
  }
}, 120_000);

/** What `plan show` and the question of `plan apply` say; undefined where the plan is refused. */
const say = async (head: Head, row: unknown): Promise<string | undefined> => {
  const text = formatRun(head, [row as PlanWrite]);
  const machine = { stdin: Readable.from([text]), interrupted: new AbortController().signal };
  let plan: Plan;
  try {
    plan = await readPlan({ machine } as unknown as Run, '-');
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== 'bad_plan') throw error;
    return undefined;
  }
  const cells = plan.rows.map((one) => [one.label, one.operation, one.target, describePlanRow(one)]);
  return JSON.stringify([...cells, listPlanWarnings(plan)]);
};

const VALUES = fc.oneof(
  fc.constantFrom<unknown>(
    ...['107', '114', '101', '', ' ', '–', 'null', 'true', '20', '1', 'Team manager', 'archive', 'now'],
    ...['a, role: Executive Manager', 'a  b', 'a\u200bb', 'a\nb', 'é', 'e\u0301', '1 → 2', '"a"', '%E0%A4%A'],
    ...[20, 20.5, 0, 1, 2, -1, true, false, null],
  ),
  fc.constantFrom<unknown>([], ['x'], ['x, y'], ['x', 'y'], [107], {}, { a: 1 }, { a: '1' }),
  fc.string(),
);

/** Every place in a row, but `n` and `seen`. */
const listPlaces = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([name, one]) => listPlaces(one, [...path, name]))];

interface Edit {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'add' | 'rename';
  readonly name: string;
  readonly value: unknown;
}

const NAMES = [
  ...['role', 'current_role', 'memberId', 'workspace_id', 'email', 'rate', 'notes', 'status', 'userId'],
];
const edits: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat({ max: 1000 }),
  how: fc.constantFrom('replace', 'remove', 'add', 'rename'),
  name: fc.oneof(fc.constantFrom(...NAMES), fc.string()),
  value: VALUES,
});

const edit = (row: Json, { at, how, name, value: given }: Edit): void => {
  const value = structuredClone(given);
  const places = listPlaces(row).filter(
    ([first]) => first !== undefined && first !== 'n' && first !== 'seen',
  );
  const place = places[at % places.length] ?? [];
  const parent = place.slice(0, -1).reduce((one, key) => Object(one)[key], row as unknown) as Json;
  const key = place.at(-1) ?? '';
  const target = parent[key];
  if (how === 'replace') parent[key] = value;
  else if (how === 'add' && typeof target === 'object' && target !== null)
    Object.assign(target, { [name]: value });
  else if (how === 'rename') {
    delete parent[key];
    parent[name] = target;
  } else delete parent[key];
};

/** The row with another request, and all that follows from it: whoever forges it has this program too. */
const forge = async (row: PlanWrite, request: PlanWrite['request']): Promise<PlanWrite> => {
  const operation = allOperations.find(({ id }) => id === row.operation);
  if (operation === undefined) throw new Error(row.operation);
  const names = operation.path.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  const parts = request.path.split('/');
  const ids = names.flatMap((name, i) =>
    name === undefined ? [] : [[name, decodeURIComponent(parts[i] ?? '')]],
  );
  const { workspace_id, ...fields } = Object(request.body);
  const values = { ...Object.fromEntries(ids), ...fields };
  // As this version sends them: raw fields first.
  const order = [...Object.keys(operation.parameters)];
  const sorted = Object.entries(fields).sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const body = { ...(workspace_id === undefined ? {} : { workspace_id }), ...Object.fromEntries(sorted) };
  const {
    others: _others,
    isDeletion: _deletes,
    ...said
  } = await describeWrite({ operation, values }, row.seen);
  return { ...row, request: { ...request, ...(request.body === undefined ? {} : { body }) }, ...said };
};

const PARAMETERS = [...new Set(allOperations.flatMap(({ parameters }) => Object.keys(parameters)))];

const requests = fc.record({
  plan: fc.nat({ max: 1000 }),
  id: fc.option(fc.constantFrom('107', '114', '9', 'a%20b'), { nil: undefined }),
  fields: fc.dictionary(fc.constantFrom(...PARAMETERS, ...NAMES, 'raw'), VALUES, { maxKeys: 2 }),
});

describe('S1: a plan that was edited, its checksum made again', () => {
  it('is refused, or shows it', async () => {
    const pick = fc.tuple(fc.nat({ max: 1000 }), fc.array(edits, { minLength: 1, maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(pick, async ([n, all]) => {
        const { head, row } = plans[n % plans.length] as (typeof plans)[number];
        const forged = structuredClone(row) as unknown as Json;
        for (const one of all) edit(forged, one);
        fc.pre(!isSameJson(forged, row));
        expect(await say(head, forged)).not.toBe(await say(head, row));
      }),
      { numRuns: 3000 },
    );
  });

  it('is refused, or shows it, where all of the row was made to agree with its request', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ plan: n, id, fields }) => {
        const { head, row } = plans[n % plans.length] as (typeof plans)[number];
        const { path, query } = row.request;
        const body: Json = { ...Object(row.request.body), ...fields };
        const forged = await forge(row, {
          ...row.request,
          path: id === undefined ? path : path.replace(/[^/]*\d[^/]*/, id),
          query: 'project_id' in query ? { ...query, project_id: String(body['project_id']) } : query,
          ...(Object.keys(body).length === 0 ? {} : { body }),
        });
        fc.pre(!isSameJson(forged.request, row.request));
        expect(await say(head, forged)).not.toBe(await say(head, row));
      }),
      { numRuns: 3000 },
    );
    // None of these is refused: what `--field` adds is nobody's forgery.
    for (const { head, row } of plans) {
      const body = { ...Object(row.request.body), added: 'by hand' };
      const text = await say(head, await forge(row, { ...row.request, body }));
      expect(text, row.operation).toContain('raw field added: by hand');
    }
    // Nor does it name a new record.
    const invited = plans.find(({ row }) => row.operation === 'members.invite') as (typeof plans)[number];
    const named = { ...Object(invited.row.request.body), name: 'Nora' };
    const forged = await forge(invited.row, { ...invited.row.request, body: named });
    expect([forged.target, await say(invited.head, forged)]).toEqual([
      'new@n.example',
      expect.stringContaining('raw field name: Nora'),
    ]);
  });

  it("has a request of the plan's workspace alone", async () => {
    for (const { head, row } of plans)
      expect(await say({ ...head, workspace_id: 146 }, row), row.operation).toBe(
        findOperation(row.operation)?.workspace === 'none' ? await say(head, row) : undefined,
      );
  });
});

describe('S1: a plan whose record is another', () => {
  const file = () => fileOf('forged.ndjson');
  const makeForged = async () => {
    await succeed('sandbox reset --seed demo');
    const rowsFile = fileOf('rows.csv', 'id,weekly_hours_limit\n106,32\n107,24\n');
    await succeed(`members update --from-file ${rowsFile} --plan ${file()}`);
    const { head, rows } = openPlan(file());
    const [mei, lucas] = rows as [PlanWrite, PlanWrite];
    // What is recorded of Mei stands beside a request for Lucas.
    const body = { workspace_id: 101, role: 'Executive Manager' };
    const forged = await forge(mei, { ...lucas.request, body });
    writeFileSync(file(), formatRun({ ...head, rows: 1 }, [forged]));
  };

  it('says so offline, is moved, and is not sent', async () => {
    await makeForged();
    const shown = await succeed(`plan show ${file()}`);
    expect(shown).toMatch(/Mei Tanaka .* members\.update +107 +role: Executive Manager\n/);
    expect(shown).toContain('recorded   names and old values: plan check compares them');
    const check = await run(`plan check ${file()} --json`);
    expect([check.exit, JSON.parse(check.stdout)]).toMatchObject([10, [{ target: '107', status: 'moved' }]]);
    const apply = await run(`plan apply ${file()} --yes --json`);
    expect([apply.exit, JSON.parse(apply.stdout)]).toMatchObject([
      8,
      [
        {
          target: '107',
          status: 'skipped',
          label: 'Lucas Ferreira  lucas@lindenhof.example',
          error: { code: 'moved' },
        },
      ],
    ]);
  });

  it.each([
    ['a path that cannot be decoded', { path: '/members/%E0%A4%A' }],
    ['a query of its own', { query: { workspace_id: '101', as: 'x' } }],
    ['another workspace in the query', { query: { workspace_id: '102' } }],
    ['another workspace in the body', { body: { workspace_id: 102, weekly_hours_limit: 32 } }],
    ['an id in its body', { body: { workspace_id: 101, memberId: 107, weekly_hours_limit: 32 } }],
  ])('is refused by show, check and apply: %s', async (_name, change) => {
    await succeed(`members update 106 --weekly-hours-limit 30 --plan ${file()}`);
    const { head, rows } = openPlan(file());
    const forged = rows.map((row) => ({ ...row, request: { ...row.request, ...change } }));
    writeFileSync(file(), formatRun(head, forged));
    for (const line of ['plan show', 'plan check', 'plan apply --yes', 'plan apply']) {
      const { exit, stdout, stderr } = await run(`${line} ${file()} --json`);
      expect([exit, stdout, JSON.parse(stderr).error.code], line).toEqual([2, '', 'bad_plan']);
    }
  });
});
