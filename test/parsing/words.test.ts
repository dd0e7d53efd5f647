import { expect, it } from 'vitest';
import { formatPlanHead } from '../../src/changes/plan.ts';
import { formatDuration } from '../../src/parsing/calendar.ts';
import { escapeMarkdown, findNearest } from '../../src/parsing/text.ts';

/** S9: nothing in a value is live where it is pasted. */

it.each([
  ['a|b <i>*x*</i> [y](z) ~~s~~ `c` \\', 'a\\|b \\<i>\\*x\\*\\</i> \\[y\\](z) \\~\\~s\\~\\~ \\`c\\` \\\\'],
  ['snake_case _em_', 'snake_case \\_em\\_'],
  ['&#8238;gnp&rlm; AT&T', '&amp;#8238;gnp&amp;rlm; AT&amp;T'],
  ['see https://x.test/a_b?c=*d&e=<f> now', 'see `https://x.test/a_b?c=*d&e=<f>` now'],
  ['WWW.x.test, ftp://y|z', '`WWW.x.test,` `ftp://y`\\|z'],
  ['http://x`<b>', '`http://x`\\`\\<b>'],
  ['@org/team and (@nora)', '`@org/team` and (`@nora`)'],
  ['nora@lindenhof.example, @ 9 am', 'nora@lindenhof.example, @ 9 am'],
])('%s', (text, expected) => expect(escapeMarkdown(text)).toBe(expected));

it('the head of a plan is text too', () => {
  const head = formatPlanHead(
    {
      head: {
        command: 'x @all',
        created_at: 'now',
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

/** The word that was meant is named; another one is not. */

const STATES = ['open', 'submitted', 'approved', 'rejected'];

it.each([
  ['opne', 'open'],
  ['opn', 'open'],
  ['submited', 'submitted'],
  ['aproved', 'approved'],
  ['rejcted', 'rejected'],
])('%s is near %s', (word, meant) => {
  expect(findNearest(word, STATES)).toBe(meant);
});

it.each(['nope', 'done', 'x'])('%s is near nothing', (word) => {
  expect(findNearest(word, STATES)).toBeUndefined();
});

it.each([
  ['lsit', 'list'],
  ['gte', 'get'],
  ['ls', 'list'],
  ['udpate', 'update'],
])('letters that have changed places, or are left out, are one slip: %s', (word, meant) => {
  expect(findNearest(word, ['list', 'get', 'update', 'archive'])).toBe(meant);
});

it.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [72, '1 min 12 s'],
  [3780, '1 h 3 min'],
])('%d s is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
