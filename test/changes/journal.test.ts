import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countRows,
  deriveRunState,
  formatRun,
  isRepeatable,
  type PlannedWrite,
  parseRun,
  type Step,
  type StepName,
} from '../../src/changes/journal.ts';
import { RunStore } from '../../src/changes/store.ts';
import type { Clock } from '../../src/clock.ts';
import { realClock } from '../../src/platform/machine.ts';
import type { Run } from '../../src/run.ts';
import { formatLine, openJournal, parseLine } from '../../src/storage/journal.ts';
import { getSelf } from '../../src/storage/lock.ts';
import { makeFolder } from '../support/folder.ts';

/** The one form of a file of writes: torn at any byte, it gives a state that can be gone on from. */

const HEAD = {
  ttctl_plan: 1,
  created_at: '2026-11-21T09:00:00.000Z',
  timezone: 'UTC',
  ttctl: '1',
  base_url: 'https://h.example',
  workspace_id: 7,
  account: null,
  command: 'timesheets approve --all',
} as const;

const write = (n: number, target: string): PlannedWrite => ({
  ...{ n, target, operation: 'timesheets.approve', label: null, before: null, after: null, seen: null },
  request: { method: 'PUT', path: `/timesheets/t${n}/approve`, query: {}, body: {} },
});

const start = (targets: readonly string[]): string =>
  formatRun(
    { ...HEAD, rows: targets.length },
    targets.map((target, index) => write(index + 1, target)),
  );

const step = (n: number, name: StepName, more: Partial<Step> = {}): Step => {
  return { n, step: name, time: '2026-11-21T09:00:01.000Z', ...more };
};

/** What a row can go through, as a run writes it. */
const COURSES: readonly (readonly StepName[])[] = [
  [],
  ['sending'],
  ['sending', 'done'],
  ['sending', 'failed'],
  ['sending', 'unknown'],
  ['sending', 'planned'],
  ['sending', 'planned', 'sending', 'done'],
  ['sending', 'unknown', 'planned', 'sending'],
  ['skipped'],
];

interface Written {
  readonly head: string;
  readonly steps: readonly Step[];
}

/** A file whose rows' steps are interleaved as chance will have it. */
const files: fc.Arbitrary<Written> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...COURSES), fc.string({ unit: 'binary' })), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([rows, chance]) => {
    const left = rows.map(([course], index) => ({ n: index + 1, names: [...course] }));
    const steps: Step[] = [];
    for (let open = left; open.length > 0; open = left.filter(({ names }) => names.length > 0)) {
      const pick = open[chance.next().value % open.length];
      const name = pick?.names.shift();
      if (pick !== undefined && name !== undefined)
        steps.push(step(pick.n, name, name === 'sending' ? { evidence: ['1'] } : {}));
    }
    return { head: start(rows.map(([, target]) => target)), steps };
  });

const textOf = ({ head, steps }: Written): string => head + steps.map(formatLine).join('');

describe('a file', () => {
  it('torn at any byte of its steps gives the state of its whole lines', () => {
    fc.assert(
      fc.property(files, fc.nat(), (file, at) => {
        const bytes = Buffer.from(textOf(file));
        const least = Buffer.byteLength(file.head);
        const cut = bytes.subarray(0, least + (at % (bytes.length - least + 1))).toString('utf8');
        const whole = cut.split('\n').length - file.head.split('\n').length;
        const run = parseRun(cut);
        expect([run.damaged, run.problem]).toEqual([false, undefined]);
        const steps = file.steps.slice(0, whole);
        const expected = run.rows.map(
          ({ n }) => steps.filter((one) => one.n === n).at(-1)?.step ?? 'planned',
        );
        expect(run.rows.map((row) => row.step)).toEqual(expected);
        for (const row of run.rows) if (row.step === 'sending') expect(row.sent?.evidence).toEqual(['1']);
      }),
      { numRuns: 400 },
    );
  });

  it('whose head or writes are cut or changed anywhere has no row at all', () => {
    fc.assert(
      fc.property(files, fc.nat(), fc.integer({ min: 0, max: 255 }), ({ head }, at, flip) => {
        const bytes = Buffer.from(head);
        const place = at % bytes.length;
        const harmed = flip === 0 ? bytes.subarray(0, place) : Buffer.from(bytes);
        if (flip !== 0) harmed[place] = (harmed[place] ?? 0) ^ flip;
        const run = parseRun(harmed.toString('utf8'));
        expect([run.rows, run.damaged, run.problem]).toEqual([[], true, expect.anything()]);
      }),
      { numRuns: 400 },
    );
  });

  it('with a step that was changed has every row looked up first that seems not to have been sent', () => {
    fc.assert(
      fc.property(files, fc.nat(), fc.integer({ min: 1, max: 255 }), (file, at, flip) => {
        const bytes = Buffer.from(textOf(file));
        const from = Buffer.byteLength(file.head);
        const to = Buffer.byteLength(textOf({ ...file, steps: file.steps.slice(0, -1) }));
        fc.pre(to > from);
        const place = from + (at % (to - from));
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        const run = parseRun(bytes.toString('utf8'));
        expect([run.damaged, run.problem]).toEqual([true, undefined]);
        expect(run.rows.filter((row) => row.step === 'planned')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('with a step that was lost has a row looked up first that was refused before, and can be sent again', () => {
    const error = { code: 'forbidden', exit: 4 };
    expect(isRepeatable({ step: 'failed', error })).toBe(true);
    const { rows } = parseRun(`${start(['t'])}${formatLine(step(1, 'failed', { error }))}lost\n`);
    expect(rows[0]?.step).toBe('sending');
  });

  it('is written on behind its last whole line', () => {
    const path = join(makeFolder(), 'j.jsonl');
    return fc.assert(
      fc.asyncProperty(files, fc.nat(), async (file, at) => {
        const bytes = Buffer.from(textOf(file));
        const least = Buffer.byteLength(file.head);
        const cut = bytes.subarray(0, least + (at % (bytes.length - least + 1)));
        writeFileSync(path, cut);
        const journal = openJournal(path);
        const more = step(1, 'done');
        await Promise.all([journal.add(more), journal.note({ ...more, created: '9' })]);
        await journal.close();
        const whole = cut.subarray(0, cut.lastIndexOf('\n') + 1).toString('utf8');
        const text = readFileSync(path, 'utf8');
        expect(text).toBe(whole + formatLine(more) + formatLine({ ...more, created: '9' }));
        const run = parseRun(text);
        expect([run.damaged, run.rows[0]]).toMatchObject([false, { step: 'done', created: '9' }]);
      }),
      { numRuns: 60 },
    );
  });

  it('has a checksum in every step, its last member', () => {
    const line = formatLine(step(1, 'done'));
    expect(line).toMatch(/^\{"n":1,"step":"done","time":"[^"]+","sum":"[0-9a-f]{8}"\}\n$/);
    expect(parseLine(line.trimEnd())).toEqual(step(1, 'done'));
    expect(parseLine(line.trimEnd().replace('"n":1', '"n":2'))).toBeUndefined();
  });
});

describe('a run that was killed', () => {
  const count = (...names: readonly StepName[]) => {
    const { rows } = parseRun(
      start(names.map(String)) + names.map((name, index) => formatLine(step(index + 1, name))).join(''),
    );
    const [ended, running] = [countRows(rows), countRows(rows, true)];
    return { ended, state: deriveRunState(ended, false), running, now: deriveRunState(running, true) };
  };

  it('has rows of unknown outcome where some were on their way; while it runs they are only not done yet', () => {
    expect(count('done', 'sending', 'done')).toEqual({
      ended: { done: 2, failed: 0, skipped: 0, moved: 0, unknown: 1, left: 0, repeatable: 0 },
      state: 'unknown',
      running: { done: 2, failed: 0, skipped: 0, moved: 0, unknown: 0, left: 1, repeatable: 0 },
      now: 'running',
    });
  });

  it('counts every row once', () => {
    const { ended, running } = count(
      ...(['done', 'sending', 'failed', 'unknown', 'planned', 'skipped', 'sending'] as const),
    );
    const settled = { done: 1, failed: 1, skipped: 1, moved: 0, repeatable: 0 };
    expect(ended).toEqual({ ...settled, unknown: 3, left: 1 });
    expect(running).toEqual({ ...settled, unknown: 1, left: 3 });
  });

  it('has failed where a record had changed, and not where one was gone', () => {
    const skipped = (error?: object) =>
      deriveRunState(countRows([{ step: 'skipped' as const, ...(error && { error: { ...error } }) }]), false);
    expect([skipped({ code: 'moved' }), skipped()]).toEqual(['failed', 'done']);
  });
});

const storeIn = (clock: Clock): RunStore =>
  new RunStore({
    machine: { clock, interrupted: new AbortController().signal },
    directories: { state: makeFolder() },
    output: { warn: () => {} },
  } as unknown as Run);

it('runs are listed the latest first, whatever ids those of one minute got by chance', async () => {
  let now = Date.parse('2026-10-31T23:59:00Z');
  const store = storeIn({ ...realClock, now: () => now });
  const format = () =>
    formatRun({ ...HEAD, created_at: new Date(now).toISOString(), rows: 1 }, [write(1, 'x')]);
  const writeOne = async (): Promise<string> => {
    now += 1;
    const single = store.single(format);
    await single.add(step(1, 'sending'));
    return single.id;
  };
  const runMany = (): Promise<string> => {
    now += 1;
    return store.create(format, async (id) => id);
  };
  const ids: string[] = [];
  for (const begin of [writeOne, runMany, writeOne, writeOne, runMany, runMany, runMany, writeOne])
    ids.push(await begin());
  now += 60_000;
  ids.push(await writeOne(), await runMany());
  expect([...store.runs()].map(({ id }) => id)).toEqual(ids.toReversed());
  const november = ids.slice(-2).toReversed();
  expect([...store.runs({ from: '2026-11-01' })].map(({ id }) => id)).toEqual(november);
  expect([...store.ids('2026-10-31')].sort()).toEqual(ids.slice(0, -2).sort());
});

it('a run of several is at work before there is a file that others could go on with', async () => {
  const store = storeIn(realClock);
  let isRunning: boolean | undefined;
  const format = (id: string): string => {
    isRunning = store.isRunning({ id, rows: [] });
    return start(['x']);
  };
  await store.create(format, async () => {});
  expect(isRunning).toBe(true);
});

describe('a single write', () => {
  const makeStore = () => storeIn(realClock);
  const leave = async (store: RunStore, text: string): Promise<string> => {
    const single = store.single(() => start(['x']));
    await single.add(step(1, 'sending'));
    writeFileSync(store.path(single.id), text);
    return single.id;
  };
  const open = (store: RunStore, id: string) => store.reopen(id, async ({ rows }) => rows[0]?.step);
  const sentBy = (pid: number): string =>
    start(['x']) + formatLine(step(1, 'sending', { process: { ...getSelf(), pid, start: undefined } }));

  it('is gone on with only when the process that sends it has ended', async () => {
    const store = makeStore();
    const id = await leave(store, sentBy(process.ppid));
    await expect(open(store, id)).rejects.toMatchObject({ code: 'job_running' });
    expect(await open(store, await leave(store, sentBy(2 ** 22 + 1)))).toBe('sending');
  });

  it('whose first step is torn may have been sent: head and step are written together', async () => {
    const store = makeStore();
    const steps = formatLine(step(1, 'sending'));
    const id = await leave(store, start(['x']) + steps.slice(0, -1));
    expect(store.read(id).rows.map((row) => row.step)).toEqual(['sending']);
    expect(await open(store, id)).toBe('sending');
  });
});
