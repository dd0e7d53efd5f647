import { describe, expect, test } from 'vitest';
import type { Rate, RequestKind } from '../../src/http/pacing.ts';
import { createMemoryLedger, type Ledger } from '../../src/rate-limit/ledger-file.ts';
import { formatRecord } from '../../src/rate-limit/ledger-record.ts';
import { createFastPath } from '../../src/rate-limit/windows.ts';
import { createManualClock } from '../http/manual-clock.ts';

/** The short way: leave without adding up, as long as fewer lines stand before a claim than the allowance has places. */

const RATE: Rate = { requests: 12, perSeconds: 60, writes: 5, writesPerSeconds: 1 };
const NOW = 1_000_000;

const end = (n: number): string => formatRecord({ type: 'end', id: `other.${n}`, at: NOW, kind: 'read' });

/** Whether a request goes out where others have written so many lines. */
const goes = (lines: number, kind: RequestKind, change: (ledger: Ledger) => Ledger = (ledger) => ledger) => {
  const ledger = createMemoryLedger();
  for (let n = 1; n <= lines; n += 1) ledger.append(end(n));
  const clock = createManualClock(NOW);
  const fastPath = createFastPath({ ledger: change(ledger), rate: RATE, clock, run: 'own', leaseMs: 30_000 });
  return { admission: fastPath.claim(kind), left: ledger };
};

describe('a claim', () => {
  test('of a read stands as the last of the places, and not behind them', () => {
    expect(goes(11, 'read').admission).toBeDefined();
    expect(goes(12, 'read').admission).toBeUndefined();
  });

  test('of a write stands as the last of the places for writes, and not behind them', () => {
    expect(goes(4, 'write').admission).toBeDefined();
    expect(goes(5, 'write').admission).toBeUndefined();
  });

  test('that came too late for its strip does not stand, and is taken back', () => {
    const late = (ledger: Ledger): Ledger => ({
      ...ledger,
      append: (line) => ledger.append(line) && !line.startsWith('claim '),
    });
    const { admission, left } = goes(0, 'read', late);
    expect(admission).toBeUndefined();
    expect(left.read()).toEqual(['drop own.1']);
  });

  test.each(['hold 1000000 1007000\n', 'line other 1003000 one\n'])(
    'does not stand where another was refused or waits: %j',
    (line) => {
      const disturbed = (ledger: Ledger): Ledger => {
        ledger.append(line);
        return ledger;
      };
      expect(goes(0, 'read', disturbed).admission).toBeUndefined();
    },
  );
});
