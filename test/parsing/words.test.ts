import { expect, it } from 'vitest';
import { encodePathSegment } from '../../src/api/plan.ts';
import { formatPlanHead } from '../../src/changes/plan.ts';
import { createRedactor } from '../../src/http/redact.ts';
import { formatDuration, formatMoney } from '../../src/parsing/calendar.ts';
import { isSameValue } from '../../src/parsing/names.ts';
import { escapeMarkdown, findNearest } from '../../src/parsing/text.ts';
import { formatRecordedCommand } from '../../src/platform/machine.ts';

it.each([
  ['a|b <i>*x*</i> [y](z) ~~s~~ `c` \\', 'a\\|b \\<i>\\*x\\*\\</i> \\[y\\](z) \\~\\~s\\~\\~ \\`c\\` \\\\'],
  ['snake_case _em_', 'snake_case \\_em\\_'],
  ['&#8238;gnp&rlm; AT&T', '&amp;#8238;gnp&amp;rlm; AT&amp;T'],
  ['see https://x.test/a_b?c=*d&e=<f> now', 'see `https://x.test/a_b?c=*d&e=<f>` now'],
  ['WWW.x.test, ftp://y|z', '`WWW.x.test,` `ftp://y`\\|z'],
  ['http://x`<b>', '`http://x`\\`\\<b>'],
  ['@org/team and (@nora)', '`@org/team` and (`@nora`)'],
  ['nora@lindenhof.example, @ 9 am', 'nora@lindenhof.example, @ 9 am'],
])('S9 nothing is live where it is pasted: %s', (text, expected) =>
  expect(escapeMarkdown(text)).toBe(expected),
);

it('the head of a plan is text too', () => {
  const head = formatPlanHead(
    {
      head: {
        ...{ command: 'x @all', created_at: 'now' },
        account: '&lt;',
        base_url: 'https://x.test',
        workspace_id: 7,
      },
      rows: [],
    } as unknown as Parameters<typeof formatPlanHead>[0],
    true,
  );
  expect(head).toBe(
    '### Plan: 0 changes\n\n- command: x `@all`\n- made: now by &amp;lt;\n- service: `https://x.test`\n- workspace: 7\n- changes: none\n' +
      '- recorded: names and old values: plan check compares them with the service',
  );
});

const WORDS = ['open', 'submitted', 'approved', 'rejected', 'list', 'get', 'update', 'archive'];

it.each([
  ['opne', 'open'],
  ['submited', 'submitted'],
  ['aproved', 'approved'],
  ['rejcted', 'rejected'],
  // Letters that have changed places, or are left out, are one slip.
  ['lsit', 'list'],
  ['gte', 'get'],
  ['ls', 'list'],
  ['udpate', 'update'],
  ['nope', undefined],
  ['done', undefined],
  ['x', undefined],
])('%s is near %s', (word, meant) => expect(findNearest(word, WORDS)).toBe(meant));

it.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [72, '1 min 12 s'],
  [3780, '1 h 3 min'],
  [17_279_999, '199 d 23 h'],
])('%d s is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

/** The same again and again is read once: at this length, what looks at each part from each place takes minutes. */
const LENGTH = 1_200_000;

const machine = { redactor: createRedactor(), env: {} };

it.each<readonly [what: string, read: () => unknown, result: unknown]>([
  ['zeros in an amount', () => formatMoney(`0.${'0'.repeat(LENGTH)}1`), undefined],
  ['a note on a command line', () => formatRecordedCommand(['x'.repeat(LENGTH)], machine).length, LENGTH],
  [
    'times of day where one is shown',
    () => isSameValue('2026-11-20T09:00:00Z', 'T00:00'.repeat(LENGTH / 6), { type: 'datetime' }),
    true,
  ],
  ['blanks in an id', () => encodePathSegment(`${' '.repeat(LENGTH)}x`, String).length, 3 * LENGTH + 1],
])('is read once: %s', { timeout: 60_000 }, (_what, read, result) => expect(read()).toBe(result));
