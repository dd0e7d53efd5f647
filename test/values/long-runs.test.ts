import { expect, it } from 'vitest';
import { encodePathSegment } from '../../src/api/plan.ts';
import { createRedactor } from '../../src/http/redact.ts';
import { formatMoney } from '../../src/parsing/calendar.ts';
import { isSameValue } from '../../src/parsing/names.ts';
import { formatRecordedCommand } from '../../src/platform/machine.ts';

/** The same again and again is read once: at this length, what looks at each part from each place takes minutes. */
const LENGTH = 1_200_000;

const zeros = `0.${'0'.repeat(LENGTH)}1`;
const machine = { redactor: createRedactor(), env: {} };

it.each<readonly [what: string, read: () => unknown, result: unknown]>([
  ['zeros in an amount', () => formatMoney(zeros), undefined],
  ['a note on a command line', () => formatRecordedCommand(['x'.repeat(LENGTH)], machine).length, LENGTH],
  [
    'times of day where one is shown',
    () => isSameValue('2026-11-20T09:00:00Z', 'T00:00'.repeat(LENGTH / 6), { type: 'datetime' }),
    true,
  ],
  [
    'blanks in an id',
    () => encodePathSegment(`${' '.repeat(LENGTH)}x`, () => 'an id').length,
    3 * LENGTH + 1,
  ],
])('is read once: %s', { timeout: 60_000 }, (_what, read, result) => expect(read()).toBe(result));
