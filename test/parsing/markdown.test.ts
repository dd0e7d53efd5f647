import { expect, it } from 'vitest';
import { formatMarkdownHead } from '../../src/changes/plan/show.ts';
import { escapeMarkdown } from '../../src/parsing/markdown.ts';

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
  const head = formatMarkdownHead({
    head: {
      command: 'x @all',
      created_at: 'now',
      account: '&lt;',
      base_url: 'https://x.test',
      workspace_id: 7,
    },
    rows: [],
  } as unknown as Parameters<typeof formatMarkdownHead>[0]);
  expect(head).toBe(
    '### Plan: 0 changes\n\n- command: x `@all`\n- made: now by &amp;lt;\n- service: `https://x.test`\n- workspace: 7',
  );
});
