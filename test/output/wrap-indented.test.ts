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

  it('breaks the address of a request at its seams', () => {
    const request = `  request: PUT /timesheets/${'7442420a-c539-4725-be99-c7c33d44f2dc'}/approve (400)`;
    expect(wrapIndented(request, 44).split('\n')).toEqual([
      '  request: PUT /timesheets/',
      '    7442420a-c539-4725-be99-c7c33d44f2dc/',
      '    approve (400)',
    ]);
  });

  it('goes on below the text of a label', () => {
    const text = 'command    timesheets approve a b --yes --max-changes 7';
    expect(wrapIndented(text, 36)).toBe(
      'command    timesheets approve a b\n           --yes --max-changes 7',
    );
  });

  it('counts no colour', () => {
    const text = '\u001b[31merror:\u001b[39m one two three';
    expect(wrapIndented(text, 20)).toBe(text);
    expect(wrapIndented(text, 19)).toBe('\u001b[31merror:\u001b[39m one two\n  three');
  });

  it('is whole where stderr is no terminal', async () => {
    const long = 'word '.repeat(40).trim();
    const pipe = capture('table');
    await pipe.output.prepare();
    pipe.output.note(long);
    expect(pipe.stderr()).toBe(`${long}\n`);
    const terminal = capture('table', { stderrWidth: 40 });
    await terminal.output.prepare();
    terminal.output.note(long);
    expect(terminal.stderr().split('\n').length).toBeGreaterThan(5);
  });
});
