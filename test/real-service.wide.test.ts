import { describe, expect, it } from 'vitest';
import { cases, measure, most, type Program } from '../scripts/bench-requests.mjs';
import { Cancelled, EXIT } from '../src/errors.ts';
import type { SandboxResponse } from '../src/sandbox/answer.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { samples } from './samples.ts';
import { type Fault, type FaultyOptions, LATE_MS, startFaultyService } from './support/faulty-service.ts';
import { atThisFileEnd } from './support/folder.ts';
import { type Outcome, runInProcess } from './support/in-process.ts';
import { type Row, useCli } from './support/use-cli.ts';

/**
 * The program before a service as real ones are: late, cached, renamed, partial (R1, R2). What is said of each write is
 * what the service's own state is, nothing is made twice, and following every hint that is printed makes nothing twice.
 */

const t = useCli({ shared: true });

type Find = (line: string, fits?: (row: Row) => boolean) => Promise<Row>;

/** A command line, and the one that makes what it is about so; `{tasks list}` stands for the first id of that list. */
type Case = readonly [line: string, before?: string | undefined];

const CASES: Readonly<Record<string, Case>> = Object.fromEntries(
  samples.map(({ operation, line, list, before }): readonly [string, Case] => [
    operation,
    [`${line.replace('ID', `{${list}}`)} --yes`, before],
  ]),
);
const SHOWN_NOWHERE = new Set(samples.flatMap(({ operation, lost }) => (lost ? [] : [operation])));

let folders = 0;
/** A case ready to be sent: its command line, and the service that meets it. */
const prepare = async (
  [line, before]: Case,
  options: Partial<FaultyOptions> & { readonly fault?: (key: string) => Fault | undefined },
) => {
  let isArmed = false;
  folders += 1;
  const { fault = () => undefined, staleMs = () => 0, ...more } = options;
  const service = await startFaultyService({
    seed: 'demo',
    keyOf: () => 'write',
    ...more,
    fault: (key) => (isArmed ? fault(key) : undefined),
    staleMs: () => (isArmed ? staleMs() : 0),
  });
  atThisFileEnd(() => service.close());
  const env = { ...service.env, TTCTL_STATE_DIR: t.file(String(folders)), TTCTL_MAX_WAIT: '0' };
  const run = (text: string, settle = '0') => t.run(text, { env: { ...env, TTCTL_SETTLE: settle } });
  const find: Find = async (text, fits = () => true) => {
    const { stdout, stderr } = await run(`${text} --json`);
    const row = (JSON.parse(stdout || '[]') as Row[]).find(fits);
    if (row === undefined) throw new Error(`${text} has no such record: ${stderr}`);
    return row;
  };
  const fill = async (text: string): Promise<string> => {
    const [all, list] = /\{(.*?)\}/.exec(text) ?? [];
    return all === undefined ? text : fill(text.replace(all, String((await find(`${list}`)).id)));
  };
  if (before !== undefined) expect(await run(await fill(before))).toMatchObject({ exit: 0 });
  const command = await fill(line);
  const [applied, arrived] = [service.applied.get('write') ?? 0, service.arrived.get('write') ?? 0];
  const count = () => ({
    applied: (service.applied.get('write') ?? 0) - applied,
    arrived: (service.arrived.get('write') ?? 0) - arrived,
  });
  isArmed = true;
  return { service, env, run, command, count, find };
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hintsIn = (text: string): readonly string[] =>
  [...text.matchAll(/ttctl ((?:jobs resume|\S+ (?:list|get|assignees)|history)[^\n)`]*)/g)].map(
    ([, line = '']) => line.trim(),
  );

/** Does what the hints say, until nothing more is unknown. @returns the last run that went on with the write */
const followHints = async (
  run: (line: string, settle?: string) => Promise<Outcome>,
  first: Outcome,
): Promise<Outcome> => {
  let last = first;
  for (let round = 0; round < 3 && statusOf(last) === 'unknown'; round += 1) {
    const hints = hintsIn(last.stderr);
    for (const hint of hints) {
      const next = await run(hint, SETTLE);
      if (hint.startsWith('jobs resume')) last = next;
    }
  }
  return last;
};

/** Seconds; a late write is done before. */
const SETTLE = '0.5';

/** Of a write alone and of a row: `failed` is what is left. */
const statusOf = ({ stdout, exit }: { readonly stdout: string; readonly exit: number }): string => {
  if (exit === 0) return 'done';
  return /^\? /m.test(stdout) ? 'unknown' : 'failed';
};

/** `once`: the fault meets the first write alone. */
const once = (fault: Fault) => {
  let isMet = false;
  return () => {
    if (isMet) return undefined;
    isMet = true;
    return fault;
  };
};
const FAULTS: Readonly<Record<string, () => { fault?: () => Fault | undefined; staleMs?: () => number }>> = {
  'reads are stale': () => ({ staleMs: () => LATE_MS }),
  'reads are stale, and the answer is lost': () => ({ staleMs: () => LATE_MS, fault: once('cut after') }),
  'it is done after the 504 of a gateway': () => ({ fault: once('late after 504') }),
  'it is done after a reset': () => ({ fault: once('late after cut') }),
};

describe.concurrent.each(Object.entries(FAULTS))('where %s', (name, makeFault) => {
  const isLost = name !== 'reads are stale';
  it.each(Object.entries(CASES))('%s says what the service’s own state is', async (operation, one) => {
    const { run, command, count } = await prepare(one, makeFault());
    const ended = await run(command, SETTLE);
    const wanted = isLost && SHOWN_NOWHERE.has(operation) ? 'unknown' : 'done';
    expect(statusOf(ended), `${command}\n${ended.stdout}${ended.stderr}`).toBe(wanted);
    await pause(wanted === 'unknown' ? 2 * LATE_MS : 0);
    expect(count()).toEqual({ applied: 1, arrived: 1 });
  });

  it.each(isLost ? Object.entries(CASES) : [])(
    '%s is made once, whatever hint is followed',
    async (operation, one) => {
      const { run, command, count } = await prepare(one, makeFault());
      const ended = await run(command);
      // Nothing is said to be failed that may still be done.
      expect(statusOf(ended), ended.stderr).not.toBe('failed');
      expect(ended.stderr).not.toMatch(/safe to send|try again/i);
      const last = await followHints(run, ended);
      await pause(2 * LATE_MS);
      if (!SHOWN_NOWHERE.has(operation)) expect(statusOf(last), last.stdout + last.stderr).toBe('done');
      expect(count()).toEqual({ applied: 1, arrived: 1 });
    },
  );
});

type Envelope = { data: unknown; meta?: { pagination?: unknown } };
const withJson =
  (change: (envelope: Envelope, line: string) => unknown) => (line: string, answer: SandboxResponse) => ({
    ...answer,
    body: JSON.stringify(change(JSON.parse(answer.body), line)),
  });
const ofWrites =
  (change: (answer: SandboxResponse) => SandboxResponse) => (line: string, answer: SandboxResponse) =>
    line.startsWith('GET') || answer.status >= 300 ? answer : change(answer);
const mapRecords = (change: (row: Row) => Row) =>
  withJson(({ data, ...rest }) => ({
    ...rest,
    data: Array.isArray(data) ? data.map(change) : data && change(data as Row),
  }));
const toTexts = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

const REWRITES: Readonly<Record<string, NonNullable<FaultyOptions['rewrite']>>> = {
  'data: null': ofWrites((answer) => ({ ...answer, body: '{"success":true,"data":null}' })),
  '201': ofWrites((answer) => ({ ...answer, status: 201 })),
  '202 and nothing': ofWrites((answer) => ({ ...answer, status: 202, body: '' })),
  '204': ofWrites((answer) => ({ ...answer, status: 204, body: '' })),
  'an empty body': ofWrites((answer) => ({ ...answer, body: '' })),
  'no pagination': withJson(({ meta, ...rest }) => ({ ...rest, meta: { ...meta, pagination: undefined } })),
  'a renamed field': mapRecords(({ weekly_hours_limit: limit, ...row }) => ({ ...row, weekly_limit: limit })),
  'numbers as texts': mapRecords(toTexts),
};
const PARTIAL = ['members.update', 'timesheets.approve', 'expenses.create', 'members.invite'];

describe.concurrent.each(Object.entries(REWRITES))('a service that answers with %s', (_name, rewrite) => {
  it.each(PARTIAL)('is believed: %s', async (operation) => {
    const { run, command, count } = await prepare(CASES[operation] as Case, { rewrite });
    const ended = await run(command);
    expect(statusOf(ended), `${command}\n${ended.stdout}${ended.stderr}`).toBe('done');
    expect(count()).toEqual({ applied: 1, arrived: 1 });
  });
});

const APPROVE = CASES['timesheets.approve'] as Case;

it('a status that is not known tells nothing of a lost answer, and nothing is sent again', async () => {
  const rewrite = mapRecords((row) => ('total_hours' in row ? { ...row, status: 'pending_review' } : row));
  let isUnknown = false;
  const { run, command, count } = await prepare(APPROVE, {
    fault: once('cut after'),
    rewrite: (line, answer) => (isUnknown && line.startsWith('GET') ? rewrite(line, answer) : answer),
  });
  isUnknown = true;
  const ended = await run(command);
  expect([ended.exit, statusOf(ended)]).toEqual([7, 'unknown']);
  await followHints(run, ended);
  expect(count()).toEqual({ applied: 1, arrived: 1 });
});

it.each([
  ['approve', {}, 0],
  ['reject', { reason: 'Theirs' }, 6],
])('a record that somebody changes between look and write: %s', async (verb, more, exit) => {
  let isTheirs = false;
  const { service, run, command } = await prepare(APPROVE, {
    beforeWrite: async (sandbox, line) => {
      if (!isTheirs) return;
      const { TTCTL_WORKSPACE: workspace = '', TTCTL_TOKEN: token } = service.env;
      const path = line.replace(/^PUT (.*)\/approve$/, `/api/v2$1/${verb}`);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ workspace_id: Number(workspace), ...more });
      const theirs = { method: 'PUT', path, query: [['workspace_id', workspace]], headers, body } as const;
      expect(await sandbox.answer(theirs)).toMatchObject({ status: 200 });
    },
  });
  isTheirs = true;
  const ended = await run(command);
  expect(ended.exit, ended.stderr).toBe(exit);
});

const RUNS: Readonly<
  Record<string, (find: Find, run: (line: string) => Promise<Outcome>) => Promise<string>>
> = {
  'expenses create': async (find) => {
    const category = String((await find('expenses categories')).id);
    const rows = Array.from({ length: 30 }, (_, n) => `Item ${n},2026-11-02,${n + 1},${category}\n`);
    return `name,date,amount,category\n${rows.join('')}`;
  },
  'expenses update': async (find, run) => {
    const file = t.file('new.csv', await RUNS['expenses create']?.(find, run));
    await run(`expenses create --from-file ${file} --yes`);
    const category = String((await find('expenses categories')).id);
    const { stdout } = await run('expenses list --json');
    const rows = (JSON.parse(stdout) as readonly Row[]).filter((row) => /^Item/.test(`${row.expense_name}`));
    return `id,name,date,amount,category\n${rows.map(({ id }, n) => `${id},Taxi ${n},2026-11-02,5,${category}\n`).join('')}`;
  },
  'tasks assign': async (find, run) => {
    const { project_id: project } = await find('contracts list');
    const people = JSON.parse(
      (await run(`contracts list --project ${project} --json`)).stdout,
    ) as readonly Row[];
    for (const title of ['A', 'B', 'C', 'D']) await run(`tasks create --project ${project} --title ${title}`);
    const tasks = JSON.parse((await run(`tasks list --project ${project} --json`)).stdout) as readonly Row[];
    const made = tasks.filter(({ title }) => /^[A-D]$/.test(`${title}`));
    const rows = made.flatMap(({ id }) => people.map(({ user_id: user }) => `${id},${project},${user}\n`));
    return `task,project,member\n${rows.join('')}`;
  },
};

it.each(Object.keys(RUNS))(
  '%s: in a run the others go on, and what was lost is looked at by list pages at the end',
  async (verb) => {
    let sent: number | undefined;
    const reads: (readonly [line: string, at: number])[] = [];
    const { run, count, find } = await prepare([verb], {
      fault: () => {
        if (sent !== undefined) sent += 1;
        return sent !== undefined && sent % 3 === 1 ? 'late after 504' : undefined;
      },
      rewrite: (line, answer) => {
        if (sent !== undefined && line.startsWith('GET')) reads.push([line, sent]);
        return answer;
      },
    });
    const file = t.file('rows.csv', await RUNS[verb]?.(find, run));
    const rows = t.text('rows.csv').split('\n').length - 2;
    const before = count().arrived;
    sent = 0;
    const ended = await run(`${verb} --from-file ${file} --yes`, SETTLE);
    expect(ended.exit, ended.stderr).toBe(0);
    expect(count().arrived - before).toBe(rows);
    // What was known before, then when all have been sent: at once, and when time has passed.
    const late = reads.filter(([, at]) => at > 0);
    expect(
      late.every(([, at]) => at === rows),
      JSON.stringify(late),
    ).toBe(true);
    expect(late.length, JSON.stringify(reads)).toBeLessThanOrEqual(4);
  },
);

it('a slow service is waited for', async () => {
  const { run, command, count } = await prepare(APPROVE, { latency: () => 300 });
  expect((await run(command)).exit).toBe(0);
  expect(count()).toEqual({ applied: 1, arrived: 1 });
});

it('R16: a single write that a signal finds on its way ends, and the command as the signal says', async () => {
  const interrupt = new AbortController();
  const { command, env, count } = await prepare(CASES['members.update'] as Case, {
    beforeWrite: () => interrupt.abort(new Cancelled('terminated', EXIT.terminated)),
  });
  const { exit, stdout } = await t.run(command, { env, interrupted: interrupt.signal });
  expect([exit, stdout, count().applied]).toEqual([EXIT.terminated, expect.stringMatching(/^✓ 108 /), 1]);
});

describe('the wait for what was lost', () => {
  const CREATE = CASES['expenses.create'] as Case;

  it('is ended at once by a signal, and leaves it unknown', async () => {
    const { service, command, env } = await prepare(CREATE, { fault: once('cut before') });
    const interrupt = new AbortController();
    const ended = t.run(command, {
      ...{ env: { ...env, TTCTL_SETTLE: '3600' }, interrupted: interrupt.signal },
    });
    await service.afterWrites(1);
    await pause(LATE_MS);
    interrupt.abort(new Cancelled('terminated', EXIT.terminated));
    const end = await ended;
    expect([end.exit, statusOf(end)]).toEqual([EXIT.terminated, 'unknown']);
  });

  it('is not bounded by --max-wait, and going on says that it waits, and sends what was not done', async () => {
    const { run, command, count } = await prepare(CREATE, { fault: once('cut before') });
    const ended = await run(`${command} --max-wait 0`, '0.2');
    expect(statusOf(ended)).toBe('unknown');
    const [hint = ''] = hintsIn(ended.stderr);
    const further = await run(hint, '3');
    expect(further.stderr).toMatch(/Waiting \d s before checking again/);
    expect([further.exit, count()]).toEqual([0, { applied: 1, arrived: 2 }]);
  });
});

/** What a command costs at a service that counts requests: each line of `npm run bench:requests`. */

const program = (more: Readonly<Record<string, string>> = {}): Program => ({
  createSandbox,
  run: (args, { env, input }) =>
    runInProcess(args, { env: { ...env, ...more }, ...(input !== undefined && { stdin: input }) }),
});

const named = cases.map((one) => [one.name, one] as const);

it.each(named)('R13: %s takes the least that it needs', async (_, one) => {
  const { requests, least, routes } = await measure(program(), one);
  expect(requests, routes.join('\n')).toBeLessThanOrEqual(most(least));
});

it.each(
  named.filter(([name]) => /^(update|archive|plan apply of|undo of) .*\d{3}.*(mail|id|updates)$/.test(name)),
)('R14: %s is estimated with its look-ups', async (_, one) => {
  const { requests, stderr } = await measure(program({ TTCTL_RATE_LIMIT: '90/1,90/1' }), one);
  const estimate = Number(/(\d+) requests at a limit of 90 in 1 s take about/.exec(stderr)?.[1]);
  expect(Math.abs(estimate - requests), `${estimate}, ${requests}\n${stderr}`).toBeLessThanOrEqual(
    requests / 10,
  );
});
