import { describe, expect, it } from 'vitest';
import { faultOf } from './support/proofs.ts';
import { testsIn } from './support/source.ts';

/** What is said of a test by reading it (test/support/source.ts): that the lists of proofs can tell. */

const of = (source: string) =>
  testsIn(source).map(({ title, idle, conditional, judges }) =>
    [title, idle && 'idle', conditional && 'conditional', judges && 'judges'].filter(Boolean).join(' '),
  );

describe('a test', () => {
  it.each([
    ["it('a', () => { expect(1).toBe(1); });", ['a judges']],
    ['it("a", async () => expect(f()).rejects.toThrow());', ['a judges']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a title as a source has it
    ['test(`in ${N} runs`, () => { expect(1).toBe(1); });', ['in ${N} runs judges']],
    ["it.each([1])('%i', (n) => { expect(n).toBe(1); });", ['%i judges']],
    ["it.skip('a', () => { expect(1).toBe(1); });", ['a idle judges']],
    ["it.skip.each([1])('a', () => { expect(1).toBe(1); });", ['a idle judges']],
    ["it.todo('a');", ['a idle']],
    ["it.fails('a', () => { expect(1).toBe(2); });", ['a idle judges']],
    ["describe.skip('g', () => { it('a', () => { expect(1).toBe(1); }); });", ['g idle', 'a idle judges']],
    ["it.skipIf(absent)('a', () => { expect(1).toBe(1); });", ['a conditional judges']],
    [
      "describe.runIf(x)('g', () => { it('a', () => { expect(1).toBe(1); }); });",
      ['g conditional judges', 'a conditional judges'],
    ],
    [
      "const some = describe.skip;\nsome('g', () => { it('a', () => expect(1).toBe(1)); });",
      ['g idle', 'a idle judges'],
    ],
    [
      "import { withShell } from './x.ts';\nwithShell('zsh')('a', () => { expect(1).toBe(1); });",
      ['a conditional judges'],
    ],
    ["it('a', () => fc.assert(fc.property(fc.nat(), (n) => n >= 0)));", ['a judges']],
    ["// it('a', () => { expect(1).toBe(1); });\nconst it2 = \"it('b', …)\";", []],
    ["it('a', () => { run(); });", ['a']],
    ["describe('g', () => { it('a', () => {}); });", ['g', 'a']],
    ["const ok = (n) => { expect(n).toBe(1); };\nit('a', () => ok(1));", ['a judges']],
    ["const ok = (n) => { expect(n).toBe(1); };\nit('a', ok);", ['a judges']],
    ["const f = () => g();\nconst g = () => f();\nit('a', () => f());", ['a']],
    ["it('a', () => { if (bad()) throw new Error('bad'); });", ['a judges']],
  ])('%s', (source, expected) => {
    expect(of(source)).toEqual(expected);
  });
});

it('a proof that is none is found out', () => {
  expect(faultOf('nowhere#x')).toBe('no file test/nowhere.test.ts');
  expect(faultOf('proofs#no such title')).toBe('no test “no such title” in test/proofs.test.ts');
  expect(faultOf('config/colour#%s')).toBeUndefined();
  expect(faultOf('parsing/calendar#%s in %s')).toBe(
    '“%s in %s” in test/parsing/calendar.test.ts may be today › %s in %s, or a moment › %s in %s',
  );
  expect(faultOf('parsing/calendar#today › %s in %s')).toBeUndefined();
  expect(faultOf('proofs#a proof that is none is found out')).toBeUndefined();
});
