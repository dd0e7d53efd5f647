import { describe, expect, it } from 'vitest';
import { cases, measure, most, type Program } from '../scripts/bench-requests.mjs';
import type { Clock } from '../src/clock.ts';
import { Cancelled, EXIT } from '../src/errors.ts';
import { realClock } from '../src/platform/machine.ts';
import type { SandboxResponse } from '../src/sandbox/answer.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { type NamedSample, prepareSample, samples } from './samples.ts';
import { type Fault, type FaultyOptions, LATE_MS, startFaultyService } from './support/faulty-service.ts';
import { atThisFileEnd } from './support/folder.ts';
import { type Outcome, runInProcess } from './support/in-process.ts';
import { openCli, type Row, type ServiceCli } from './support/use-cli.ts';

/**
 * The program before a service as real ones are: late, cached, renamed, partial (R1, R2). What is said of each write is
 * what the service's own state is, nothing is made twice, and following every hint that is printed makes nothing twice.
 */

/** Seconds; a late write is done before. */
const SETTLE = '0.2';

/** The program before a service that meets it so once it is armed; `counts`: how often it has done a write, and got it. */
const open = async (faults: Partial<FaultyOptions>) => {
  let isArmed = false;
  const service = await startFaultyService({
    seed: 'demo',
    keyOf: () => (isArmed ? 'write' : 'before'),
    fault: (key) => (isArmed ? faults.fault?.(key) : undefined),
    staleMs: () => (isArmed ? (faults.staleMs?.() ?? 0) : 0),
    rewrite: (line, answer) => (isArmed && faults.rewrite?.(line, answer)) || answer,
    beforeWrite: (sandbox, line) => isArmed && faults.beforeWrite?.(sandbox, line),
  });
  atThisFileEnd(() => service.close());
  const cli = await openCli({ env: { ...service.env, TTCTL_MAX_WAIT: '0' } });
  const arm = () => {
    isArmed = true;
  };
  const counts = () => [service.applied.get('write'), service.arrived.get('write')];
  const run = (text: string, settle = '0') => cli.run(text, { env: { TTCTL_SETTLE: settle } });
  return { cli, service, arm, counts, run };
};

/** The same, with the line of a sample, whose record is there. */
const prepare = async (sample: NamedSample, faults: Partial<FaultyOptions>) => {
  const place = await open(faults);
  const { line } = await prepareSample(place.cli, sample);
  place.arm();
  return { ...place, command: `${line} --yes` };
};
const sampleOf = (operation: string) =>
  samples.find((sample) => sample.operation === operation) as NamedSample;

/** Of a write alone and of a row: `failed` is what is left. */
const statusOf = ({ stdout, exit }: Outcome): string =>
  exit === 0 ? 'done' : /^\? /m.test(stdout) ? 'unknown' : 'failed';
const hintsIn = ({ stderr }: Outcome): readonly string[] =>
  [...stderr.matchAll(/ttctl ((?:jobs resume|\S+ (?:list|get|assignees)|history)[^\n)`]*)/g)].map(
    ([, line = '']) => line.trim(),
  );
/** Does what the hints say, until nothing more is unknown. @returns the last run that went on with the write */
const followHints = async (run: (line: string, settle: string) => Promise<Outcome>, first: Outcome) => {
  let last = first;
  for (let round = 0; round < 3 && statusOf(last) === 'unknown'; round += 1)
    for (const hint of hintsIn(last)) {
      const next = await run(hint, SETTLE);
      if (hint.startsWith('jobs resume')) last = next;
    }
  return last;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** The fault meets the first write alone. */
const once = (fault: Fault) => {
  const faults = [fault];
  return () => faults.pop();
};

const FAULTS: readonly (readonly [name: string, make: () => Partial<FaultyOptions>])[] = [
  ['reads are stale', () => ({ staleMs: () => LATE_MS })],
  ['reads are stale, and the answer is lost', () => ({ staleMs: () => LATE_MS, fault: once('cut after') })],
  ['it is done after the 504 of a gateway', () => ({ fault: once('late after 504') })],
  ['it is done after a reset', () => ({ fault: once('late after cut') })],
];

describe.concurrent.each(FAULTS)('where %s', (name, makeFaults) => {
  it.each(samples)('$operation says what the service’s own state is', async (sample) => {
    const { run, command, counts } = await prepare(sample, makeFaults());
    const ended = await run(command, SETTLE);
    // What no record shows stays unknown.
    const wanted = name !== 'reads are stale' && sample.lost === undefined ? 'unknown' : 'done';
    expect(statusOf(ended), `${command}\n${ended.stdout}${ended.stderr}`).toBe(wanted);
    await pause(wanted === 'unknown' ? 2 * LATE_MS : 0);
    expect(counts()).toEqual([1, 1]);
  });

  it.each(name === 'reads are stale' ? [] : samples)(
    '$operation is made once, whatever hint is followed',
    async (sample) => {
      const { run, command, counts } = await prepare(sample, makeFaults());
      const ended = await run(command);
      // Nothing is said to be failed that may still be done.
      expect(statusOf(ended), ended.stderr).not.toBe('failed');
      expect(ended.stderr).not.toMatch(/safe to send|try again/i);
      const last = await followHints(run, ended);
      await pause(2 * LATE_MS);
      if (sample.lost !== undefined) expect(statusOf(last), last.stdout + last.stderr).toBe('done');
      expect(counts()).toEqual([1, 1]);
    },
  );
});

type Change = (row: Row) => Row;
const mapRecords = (change: Change) => (answer: SandboxResponse) => {
  const { data, ...rest } = JSON.parse(answer.body);
  const changed = Array.isArray(data) ? data.map(change) : data && change(data);
  return { ...answer, body: JSON.stringify({ ...rest, data: changed }) };
};
const toText = (value: unknown) => (typeof value === 'number' ? String(value) : value);
const REWRITES: readonly (readonly [name: string, rewrite: (answer: SandboxResponse) => SandboxResponse])[] =
  [
    ['no pagination', (answer) => ({ ...answer, body: answer.body.replace('"pagination"', '"other"') })],
    [
      'a renamed field',
      mapRecords(({ weekly_hours_limit: limit, ...row }) => ({ ...row, weekly_limit: limit })),
    ],
    [
      'numbers as texts',
      mapRecords((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toText(value)])),
      ),
    ],
  ];

describe.concurrent.each(REWRITES)('a service that answers with %s', (_name, rewrite) => {
  it.each(['members.update', 'timesheets.approve', 'expenses.create', 'members.invite'])(
    'is believed: %s',
    async (operation) => {
      const { run, command, counts } = await prepare(sampleOf(operation), {
        rewrite: (_line, answer) => rewrite(answer),
      });
      const ended = await run(command);
      expect(statusOf(ended), `${command}\n${ended.stdout}${ended.stderr}`).toBe('done');
      expect(counts()).toEqual([1, 1]);
    },
  );
});

const APPROVE = sampleOf('timesheets.approve');

it('a status that is not known tells nothing of a lost answer, and nothing is sent again', async () => {
  const rename = mapRecords((row) => ('total_hours' in row ? { ...row, status: 'pending_review' } : row));
  const { run, command, counts } = await prepare(APPROVE, {
    fault: once('cut after'),
    rewrite: (line, answer) => (line.startsWith('GET') ? rename(answer) : answer),
  });
  const ended = await run(command);
  expect([ended.exit, statusOf(ended)]).toEqual([7, 'unknown']);
  await followHints(run, ended);
  expect(counts()).toEqual([1, 1]);
});

it.each([
  ['approve', {}, 0],
  ['reject', { reason: 'Theirs' }, 6],
])('a record that somebody changes between look and write: %s', async (verb, more, exit) => {
  const { run, command } = await prepare(APPROVE, {
    async beforeWrite(sandbox, line) {
      const [workspace] = (await sandbox.control.status()).workspaces;
      const { token } = await sandbox.control.createToken({ as: workspace?.owner ?? '', scopes: ['write'] });
      const path = line.replace(/^PUT (.*)\/approve$/, `/api/v2$1/${verb}`);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ workspace_id: workspace?.id, ...more });
      const theirs = {
        method: 'PUT',
        path,
        query: [['workspace_id', `${workspace?.id}`]],
        headers,
        body,
      } as const;
      expect(await sandbox.answer(theirs)).toMatchObject({ status: 200 });
    },
  });
  const ended = await run(command);
  expect(ended.exit, ended.stderr).toBe(exit);
});

/** New expenses of a category, as a file. */
const expensesOf = (category: unknown): string =>
  `name,date,amount,category\n${Array.from({ length: 30 }, (_, n) => `Item ${n},2026-11-02,${n + 1},${category}\n`).join('')}`;

it.each<[string, (cli: ServiceCli) => Promise<string>]>([
  ['expenses create', async ({ rows }) => expensesOf((await rows('expenses categories'))[0]?.id)],
  [
    'expenses update',
    async ({ rows, read, file }) => {
      const category = (await rows('expenses categories'))[0]?.id;
      await read(`expenses create --from-file ${file('new.csv', expensesOf(category))} --yes`);
      const made = (await rows('expenses list')).filter((row) => /^Item/.test(`${row.expense_name}`));
      const lines = made.map(({ id }, n) => `${id},Taxi ${n},2026-11-02,5,${category}\n`);
      return `id,name,date,amount,category\n${lines.join('')}`;
    },
  ],
  [
    'tasks assign',
    async ({ rows, read }) => {
      const project = (await rows('contracts list'))[0]?.project_id;
      for (const title of ['A', 'B', 'C', 'D'])
        await read(`tasks create --project ${project} --title ${title}`);
      const people = await rows(`contracts list --project ${project}`);
      const tasks = (await rows(`tasks list --project ${project}`)).filter(
        ({ title }) => `${title}`.length === 1,
      );
      const lines = tasks.flatMap(({ id }) =>
        people.map(({ user_id: user }) => `${id},${project},${user}\n`),
      );
      return `task,project,member\n${lines.join('')}`;
    },
  ],
])(
  '%s: in a run the others go on, and what was lost is looked at by list pages at the end',
  async (verb, make) => {
    let sent = 0;
    const reads: (readonly [line: string, at: number])[] = [];
    const { cli, run, arm, counts } = await open({
      fault: () => {
        sent += 1;
        return sent % 3 === 1 ? 'late after 504' : undefined;
      },
      rewrite: (line, answer) => {
        if (line.startsWith('GET')) reads.push([line, sent]);
        return answer;
      },
    });
    const text = await make(cli);
    const count = text.split('\n').length - 2;
    arm();
    const ended = await run(`${verb} --from-file ${cli.file('rows.csv', text)} --yes`, SETTLE);
    expect(ended.exit, ended.stderr).toBe(0);
    expect(counts()).toEqual([count, count]);
    // What was known before, then when all have been sent: at once, and when time has passed.
    const late = reads.filter(([, at]) => at > 0);
    expect(late.filter(([, at]) => at !== count)).toEqual([]);
    expect(late.length, JSON.stringify(reads)).toBeLessThanOrEqual(4);
  },
);

it('R16: a single write that a signal finds on its way ends, and the command as the signal says', async () => {
  const interrupt = new AbortController();
  const { cli, command, counts } = await prepare(sampleOf('members.update'), {
    beforeWrite: () => interrupt.abort(new Cancelled('terminated', EXIT.terminated)),
  });
  const { exit, stdout } = await cli.run(command, { interrupted: interrupt.signal });
  expect([exit, stdout, counts()]).toEqual([
    EXIT.terminated,
    expect.stringMatching(/^✓ updated .* 108\n$/),
    [1, 1],
  ]);
});

describe('the wait for what was lost', () => {
  const CREATE = sampleOf('expenses.create');

  it('is ended at once by a signal, and leaves it unknown', async () => {
    const { cli, service, command } = await prepare(CREATE, { fault: once('cut before') });
    const interrupt = new AbortController();
    const ended = cli.run(command, { env: { TTCTL_SETTLE: '3600' }, interrupted: interrupt.signal });
    await service.afterWrites(1);
    await pause(LATE_MS);
    interrupt.abort(new Cancelled('terminated', EXIT.terminated));
    const end = await ended;
    expect([end.exit, statusOf(end)]).toEqual([EXIT.terminated, 'unknown']);
  });

  it('is not bounded by --max-wait, and going on says that it waits, and sends what was not done', async () => {
    const { run, command, counts } = await prepare(CREATE, { fault: once('cut before') });
    const ended = await run(`${command} --max-wait 0`, '0.2');
    expect(statusOf(ended)).toBe('unknown');
    const [hint = ''] = hintsIn(ended);
    const further = await run(hint, '3');
    expect(further.stderr).toMatch(/Waiting \d s before checking again/);
    expect([further.exit, counts()]).toEqual([0, [1, 2]]);
  });
});

/** So much faster than the real one that no limit takes long; time-outs are as much longer. */
const SPEED = 20;
const begun = Date.now();
const fastClock: Clock = {
  ...realClock,
  now: () => begun + SPEED * (Date.now() - begun),
  sleep: (ms, signal) => realClock.sleep(ms / SPEED, signal),
};

it.each(cases)(
  'R13, R14: $name takes the least requests that it needs, and is estimated with its look-ups',
  async (one) => {
    const isEstimated = /^(update|archive|plan apply of|undo of) .*\d{3}.*(mail|id|updates)$/.test(one.name);
    const [more, clock] = isEstimated
      ? [{ TTCTL_RATE_LIMIT: '90/1,90/1', TTCTL_TIMEOUT: '3600' }, fastClock]
      : [{}, realClock];
    const run: Program['run'] = (args, { env, input }) =>
      runInProcess(args, {
        ...{ env: { ...env, ...more }, machine: { clock } },
        ...(input !== undefined && { stdin: input }),
      });
    const { requests, least, routes, stderr } = await measure({ createSandbox, run }, one);
    expect(requests, routes.join('\n')).toBeLessThanOrEqual(most(least));
    if (!isEstimated) return;
    const estimate = Number(/(\d+) requests at a limit of 90 in 1 s take about/.exec(stderr)?.[1]);
    expect(Math.abs(estimate - requests), `${estimate}, ${requests}\n${stderr}`).toBeLessThanOrEqual(
      requests / 10,
    );
  },
);
