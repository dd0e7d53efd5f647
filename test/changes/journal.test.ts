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
  ...{ created_at: '2026-11-21T09:00:00.000Z', timezone: 'UTC', ttctl: '1' },
  ...{ base_url: 'https://h.example', workspace_id: 7, account: null, command: 'timesheets approve --all' },
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

const step = (n: number, name: StepName, more: Partial<Step> = {}): Step => ({
  ...{ n, step: name, time: '2026-11-21T09:00:01.000Z', ...more },
});

/** What a row can go through, as a run writes it. */
const courses = fc.constantFrom(
  ...['', 'sending', 'sending done', 'sending failed', 'sending unknown', 'sending planned', 'skipped'],
  ...['sending planned sending done', 'sending unknown planned sending'],
);
const rowsOf = fc.array(fc.tuple(courses, fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 6 });

/** A file whose rows' steps are interleaved as chance will have it. */
const files = fc.tuple(rowsOf, fc.infiniteStream(fc.nat())).map(([rows, chance]) => {
  const steps: Step[] = [];
  const left = rows.map(([course], index) => ({
    n: index + 1,
    names: course.split(' ').filter(Boolean) as StepName[],
  }));
  for (let open = left; open.length > 0; open = left.filter(({ names }) => names.length > 0)) {
    const pick = open[chance.next().value % open.length];
    const name = pick?.names.shift();
    if (pick !== undefined && name !== undefined)
      steps.push(step(pick.n, name, name === 'sending' ? { evidence: ['1'] } : {}));
  }
  const head = start(rows.map(([, target]) => target));
  return { head, steps, bytes: Buffer.from(head + steps.map(formatLine).join('')) };
});
/** The same, cut anywhere in its steps. */
const torn = fc.tuple(files, fc.nat()).map(([{ head, steps, bytes }, at]) => {
  const least = Buffer.byteLength(head);
  return { head, steps, cut: bytes.subarray(0, least + (at % (bytes.length - least + 1))) };
});

describe('a file', () => {
  it('torn at any byte of its steps gives the state of its whole lines', () => {
    fc.assert(
      fc.property(torn, ({ head, steps, cut }) => {
        const text = cut.toString('utf8');
        const run = parseRun(text);
        expect([run.damaged, run.problem]).toEqual([false, undefined]);
        const whole = steps.slice(0, text.split('\n').length - head.split('\n').length);
        const last = (n: number) => whole.findLast((one) => one.n === n)?.step ?? 'planned';
        expect(run.rows.map((row) => row.step)).toEqual(run.rows.map(({ n }) => last(n)));
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
      fc.property(files, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ head, steps, bytes }, at, flip) => {
        const from = Buffer.byteLength(head);
        const to = bytes.length - Buffer.byteLength(steps.slice(-1).map(formatLine).join(''));
        fc.pre(to > from);
        const place = from + (at % (to - from));
        const harmed = Buffer.from(bytes);
        harmed[place] = (harmed[place] ?? 0) ^ flip;
        const run = parseRun(harmed.toString('utf8'));
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
      fc.asyncProperty(torn, async ({ cut }) => {
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

it('a run that was killed counts every row once, and is unknown where some were on their way', () => {
  const names = ['done', 'sending', 'failed', 'unknown', 'planned', 'skipped', 'sending'] as const;
  const steps = names.map((name, index) => formatLine(step(index + 1, name)));
  const { rows } = parseRun(start(names) + steps.join(''));
  const settled = { done: 1, failed: 1, skipped: 1, moved: 0, repeatable: 0 };
  expect(countRows(rows)).toEqual({ ...settled, unknown: 3, left: 1 });
  expect(deriveRunState(countRows(rows), false)).toBe('interrupted');
  const begun = rows.filter((row) => row.step !== 'planned');
  expect(deriveRunState(countRows(begun), false)).toBe('unknown');
  // While it runs they are only not done yet.
  expect(countRows(rows, true)).toEqual({ ...settled, unknown: 1, left: 3 });
  expect(deriveRunState(countRows(rows, true), true)).toBe('running');
  const skipped = (error?: object) =>
    deriveRunState(countRows([{ step: 'skipped' as const, ...(error && { error: { ...error } }) }]), false);
  expect([skipped({ code: 'moved' }), skipped()]).toEqual(['failed', 'done']);
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
  /** Its process has ended, or been killed: what it leaves is this, and the first step of its row as others read it. */
  const leave = async (store: RunStore, steps: string) => {
    const single = store.single(() => start(['x']));
    await single.add(step(1, 'sending'));
    writeFileSync(store.path(single.id), start(['x']) + steps);
    return { id: single.id, goOn: () => store.reopen(single.id, async ({ rows }) => rows[0]?.step) };
  };

  it('is gone on with only when the process that sends it has ended', async () => {
    const store = storeIn(realClock);
    const sentBy = (pid: number) =>
      leave(store, formatLine(step(1, 'sending', { process: { ...getSelf(), pid, start: undefined } })));
    const alive = await sentBy(process.ppid);
    await expect(alive.goOn()).rejects.toMatchObject({ code: 'job_running' });
    expect(await (await sentBy(2 ** 22 + 1)).goOn()).toBe('sending');
  });

  it('whose first step is torn may have been sent: head and step are written together', async () => {
    const store = storeIn(realClock);
    const { id, goOn } = await leave(store, formatLine(step(1, 'sending')).slice(0, -1));
    expect(store.read(id).rows.map((row) => row.step)).toEqual(['sending']);
    expect(await goOn()).toBe('sending');
  });
});
