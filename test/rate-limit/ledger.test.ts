import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Rate } from '../../src/http/pacing.ts';
import { createRunName, openBudgets } from '../../src/rate-limit/budgets.ts';
import { openLedgerFile } from '../../src/rate-limit/ledger-file.ts';
import { formatRecord, type LedgerRecord, parseRecord } from '../../src/rate-limit/ledger-record.ts';
import { openProcessLiveness } from '../../src/rate-limit/process-liveness.ts';
import { createManualClock, type ManualClock } from '../http/manual-clock.ts';
import { startProcess } from './many.ts';
import { createStrictCounter } from './strict.ts';

const RATE: Rate = { requests: 4, perSeconds: 2, writes: 4, writesPerSeconds: 1 };
const SPAN = 64;
const START = 64_000 * 1000;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ttctl-limits-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const tapeOf = (clock: ManualClock) => openLedgerFile({ directory, name: 'aa', spanSeconds: SPAN, clock });

describe('the tape', () => {
  test('gives all lines in one order to everybody, over the edge of a strip too', () => {
    const clock = createManualClock(START + 63_000);
    const [one, two] = [tapeOf(clock), tapeOf(clock)];
    one.append('a\n');
    two.append('b\n');
    expect(one.read()).toEqual(['a', 'b']);
    clock.set(START + 64_000);
    one.append('c\n');
    two.append('d\n');
    expect(two.read()).toEqual(['a', 'b', 'c', 'd']);
    expect(one.read()).toEqual(['c', 'd']);
    clock.set(START + 2 * 64_000);
    expect(tapeOf(clock).read()).toEqual(['c', 'd']);
  });

  test('says so when a line came too late for its strip', () => {
    const times = [START + 63_999, START + 64_000];
    const late = { ...createManualClock(), now: () => times.shift() ?? START + 64_000 };
    expect(openLedgerFile({ directory, name: 'aa', spanSeconds: SPAN, clock: late }).append('a\n')).toBe(
      false,
    );
  });

  test('removes what nobody reads any more, of every credential, and nothing else', () => {
    const [one, two] = ['0a'.repeat(8), 'fb'.repeat(8)];
    const foreign = ['backup.1-2', 'other', 'report.64-1'];
    for (const name of [`${one}.64-996`, `${two}.64-1`, `${one}.64-999`, ...foreign])
      writeFileSync(join(directory, name), '');
    tapeOf(createManualClock(START, () => 0.01)).append('a\n');
    expect(readdirSync(directory).sort()).toEqual([`${one}.64-999`, 'aa.64-1000', ...foreign]);
    expect(statSync(join(directory, 'aa.64-1000')).mode & 0o777).toBe(0o600);
  });
});

test('every record comes back; what is no record is none', () => {
  const id = fc.stringMatching(/^[a-z\d]{1,8}-[a-z\d]{1,4}\.\d{1,5}$/);
  const time = fc.nat(2_000_000_000_000);
  const kind = fc.constantFrom('read' as const, 'write' as const);
  const record = fc.oneof<fc.Arbitrary<LedgerRecord>[]>(
    fc.record({
      type: fc.constant('claim'),
      id,
      at: time,
      kind,
      bulk: fc.boolean(),
      leaseMs: fc.nat(99_999),
      home: fc.constantFrom('-', 'k3x'),
    }),
    fc.record({ type: fc.constant('end'), id, at: time, kind }),
    fc.record({ type: fc.constant('drop'), id }),
    fc.record({ type: fc.constant('line'), run: fc.constant('a-b-c'), until: time, bulk: fc.boolean() }),
    fc.record({ type: fc.constant('hold'), at: time, until: time }),
  );
  fc.assert(
    fc.property(record, (each) => {
      const line = formatRecord(each);
      expect(line.endsWith('\n')).toBe(true);
      expect(parseRecord(line.trimEnd())).toEqual(each);
      expect(parseRecord(line.slice(0, -2))).not.toEqual(each);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseRecord(text)).toBeUndefined();
    }),
  );
});

test('a run that lives is not dead, one without a process is, one elsewhere may live', () => {
  const { home, isDead } = openProcessLiveness();
  const nobody = createRunName(2 ** 31 - 2, 0.5);
  expect(isDead(createRunName(process.pid, 0.5), home)).toBe(false);
  expect(isDead(nobody, home)).toBe(true);
  expect(isDead(nobody, 'elsewhere')).toBe(false);
  expect(isDead(nobody, '-')).toBe(false);
});

/** So many requests, one after the other, against the strictest counter. */
const drive = async (clock: ManualClock, count: number, hurt: (index: number) => void = () => {}) => {
  const counter = createStrictCounter(RATE);
  const losses: unknown[] = [];
  const budget = startProcess({
    name: 'p',
    rate: RATE,
    clock,
    tape: tapeOf(clock),
    onLoss: (error) => void losses.push(error),
  });
  const all = (async () => {
    for (let index = 0; index < count; index += 1) {
      hurt(index);
      const admission = await budget.admit('write');
      counter.arrive(clock.now(), true);
      admission.done();
    }
  })();
  await clock.run();
  await all;
  return { losses, counter };
};

describe('a ledger that goes bad is no error', () => {
  const strip = () => join(directory, 'aa.64-1000');

  test('garbage in it is passed over', async () => {
    writeFileSync(strip(), `${'\0'.repeat(100)}\nclaim x\nend\n\u{1f600}\nclaim a-b-c.1 9`);
    const { losses, counter } = await drive(createManualClock(START), 6, (index) => {
      if (index === 3) appendFileSync(strip(), 'torn lin');
    });
    expect(counter.refused()).toBe(0);
    // The torn end swallows the line that follows it; the process notices and goes on by itself.
    expect(losses.length).toBeLessThanOrEqual(1);
  });

  test('cut to nothing, it is left, and what is known still counts', async () => {
    const { losses, counter } = await drive(createManualClock(START), 8, (index) => {
      if (index === 2) writeFileSync(strip(), '');
    });
    expect([losses.length, counter.refused()]).toEqual([1, 0]);
  });

  test('a directory in its place', async () => {
    mkdirSync(strip());
    const { losses, counter } = await drive(createManualClock(START), 8);
    expect([losses.length, counter.refused()]).toEqual([1, 0]);
  });

  test('its directory removed', async () => {
    const { losses, counter } = await drive(createManualClock(START + 63_900), 8, (index) => {
      if (index === 3) rmSync(directory, { recursive: true });
    });
    expect([losses.length, counter.refused()]).toEqual([1, 0]);
  });
});

describe('the ledgers of a run', () => {
  const open = (more: { directory?: string } = {}) => {
    const reasons: string[] = [];
    const clock = createManualClock(START);
    const place = 'directory' in more ? more.directory : join(directory, 'state', 'limits');
    const onLoss = (reason: string) => void reasons.push(reason);
    const budgets = openBudgets({
      rate: RATE,
      directory: place,
      clock,
      pid: 1,
      timeoutMs: 1000,
      onLedgerFailure: onLoss,
    });
    return { budgets, reasons, clock };
  };
  const base = 'https://service.example/api/v2';

  test('are one for each address and token, private, and never show a token', async () => {
    const { budgets } = open();
    const credentials = [
      { base, secret: 'Bearer secret-token-1' },
      { base: 'https://service.example/api/v3', secret: 'Bearer secret-token-1' },
      { base, secret: 'Bearer secret-token-2' },
      { base: 'https://other.example/api/v2', secret: 'Bearer secret-token-1' },
      { base, secret: undefined },
    ];
    for (const credential of credentials) (await (await budgets.for(credential)).admit('read')).done();
    budgets.close();
    const place = join(directory, 'state', 'limits');
    const files = readdirSync(place);
    expect(files).toHaveLength(4);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    for (const file of files) {
      expect(`${file} ${readFileSync(join(place, file), 'utf8')}`).not.toMatch(/secret|bearer/i);
    }
  });

  test('go the short way while little is going on, and no further', async () => {
    const counter = createStrictCounter(RATE);
    const clock = createManualClock(START);
    const place = join(directory, 'limits');
    // Many short runs, as a loop of commands makes them.
    const all = (async () => {
      for (let pid = 1; pid <= 30; pid += 1) {
        const budgets = openBudgets({ rate: RATE, directory: place, clock, pid, timeoutMs: 1000 });
        const budget = await budgets.for({ base, secret: 'x' });
        for (const kind of pid % 3 === 0 ? (['write', 'read'] as const) : (['read'] as const)) {
          const admission = await budget.admit(kind);
          counter.arrive(clock.now(), kind === 'write');
          await clock.sleep(7);
          admission.done(pid === 20 ? { retryAfterMs: 3000 } : undefined);
        }
        budgets.close();
      }
    })();
    await clock.run();
    await all;
    expect([counter.refused(), counter.taken.length]).toEqual([0, 40]);
    // 40 at 4 in 2 s, and 3 s for the refusal.
    expect(clock.now() - START).toBeGreaterThan(9 * 2000 + 3000 - 2000);
    expect(clock.now() - START).toBeLessThan(9 * 2000 + 3000 + 2000);
  });

  test('a refusal ends the short way of the others too', async () => {
    const clock = createManualClock(START);
    const rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
    const start = (pid: number) =>
      openBudgets({ rate, directory, clock, pid, timeoutMs: 1000 }).for({ base, secret: 'x' });
    const [one, two, three] = [await start(1), await start(2), await start(3)];
    (await two.admit('read')).done();
    (await one.admit('read')).done({ retryAfterMs: 7000 });
    const waiting = [two.admit('read'), three.admit('write')];
    await clock.run();
    for (const admission of await Promise.all(waiting)) admission.done();
    expect(clock.now() - START).toBeGreaterThanOrEqual(7000);
  });

  test('who has to leave the short way at once is still a single command', async () => {
    const { budgets } = open();
    const place = join(directory, 'state', 'limits');
    const credential = { base, secret: 'x' };
    const other = await budgets.for(credential);
    for (let i = 0; i < 3; i += 1) (await other.admit('read')).done();
    const late = open();
    (await (await late.budgets.for(credential)).admit('read')).done();
    const [file = ''] = readdirSync(place);
    const claims = readFileSync(join(place, file), 'utf8').match(/^claim .*$/gm);
    expect(claims?.at(-1)).toMatch(/\.1 \d+ r one /);
  });

  test('lost in the middle, what was under way by the short way ends by its lease', async () => {
    const { budgets, reasons, clock } = open();
    const budget = await budgets.for({ base, secret: 'x' });
    const place = join(directory, 'state', 'limits');
    const four = await Promise.all([1, 2, 3, 4].map(() => budget.admit('read')));
    rmSync(place, { recursive: true });
    clock.set(START + 64_000 * 2);
    for (const admission of four) admission.done();
    const next = budget.admit('read');
    await clock.run();
    (await next).done();
    expect(reasons).toHaveLength(1);
  });

  test('a request that was given up counts for 5 s more: it may reach the service late', async () => {
    const rate = { requests: 1, perSeconds: 2, writes: 1, writesPerSeconds: 1 };
    const clock = createManualClock(START);
    const start = (pid: number) =>
      openBudgets({ rate, directory, clock, pid, timeoutMs: 1000 }).for({ base, secret: 'x' });
    // Its end is never told: the process may be on another machine.
    await (await start(2 ** 31 - 2)).admit('read');
    const next = (await start(1)).admit('read');
    await clock.run();
    (await next).done();
    expect(clock.now() - START).toBeGreaterThanOrEqual(1000 + 5000 + 2000);
  });

  test('with no place for them a process keeps to the budget by itself, and says why', async () => {
    writeFileSync(join(directory, 'file'), '');
    for (const place of [undefined, join(directory, 'file', 'limits')]) {
      const { budgets, reasons, clock } = open({ directory: place });
      const budget = await budgets.for({ base, secret: 'x' });
      for (let i = 0; i < 4; i += 1) (await budget.admit('read')).done();
      expect(await budget.getRemaining()).toMatchObject({ requests: 0, writes: 4 });
      const fifth = budget.admit('read');
      await clock.run();
      await fifth;
      expect(clock.now()).toBe(START + 2001);
      expect(reasons).toHaveLength(1);
    }
  });
});
