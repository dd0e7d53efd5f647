import { describe, expect, it } from 'vitest';
import { wrapIndented } from '../../src/output/wrap.ts';
import { capture } from './capture.ts';

/** Notes and errors on a narrow terminal. */

describe('what is said on stderr', () => {
  it('breaks between words, and goes on further in', () => {
    const text =
      'error: No member 99999 in this workspace.\n  request: GET /members/99999 (404)\nhint: Look.';
    expect(wrapIndented(text, 30).split('\n')).toEqual([
      'error: No member 99999 in this',
      '  workspace.',
      '  request: GET /members/99999',
      '    (404)',
      'hint: Look.',
    ]);
    expect(wrapIndented(text, 80)).toBe(text);
  });

  it('keeps a command whole on a line of its own, quoted words with spaces and all', () => {
    const command = `ttctl timesheets reject 8c1f --reason "Friday, Monday. And so on"`;
    expect(wrapIndented(`The same without questions: ${command}`, 40).split('\n')).toEqual([
      'The same without questions:',
      `  ${command}`,
    ]);
    const quoted = `ttctl timesheets reject 8c1f --reason 'It'\\''s late. No, really'`;
    expect(wrapIndented(`The same: ${quoted}`, 30)).toBe(`The same:\n  ${quoted}`);
    expect(wrapIndented("state directory: Make it private: chmod 700 '/a b/state'", 40).split('\n')).toEqual([
      'state directory: Make it private:',
      "  chmod 700 '/a b/state'",
    ]);
  });

  it('is whole where stderr is no terminal', () => {
    const long = 'word '.repeat(40).trim();
    const pipe = capture('table');
    pipe.output.note(long);
    expect(pipe.stderr()).toBe(`${long}\n`);
    const terminal = capture('table', { stderrWidth: 40 });
    terminal.output.note(long);
    expect(terminal.stderr().split('\n').length).toBeGreaterThan(5);
  });
});
