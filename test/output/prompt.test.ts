import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { Cancelled } from '../../src/errors.ts';
import type { PeopleStyle } from '../../src/output/cell.ts';
import { Prompter } from '../../src/output/prompt.ts';
import { type Confirmation, formatConfirmation } from '../../src/output/questions.ts';
import { PLAIN_PALETTE } from '../../src/output/terminal.ts';
import type { Machine } from '../../src/platform/machine.ts';

const style = (): PeopleStyle => ({
  ...{ unicode: true, timeZone: 'UTC', now: () => 0, showSecrets: false, width: 80, palette: PLAIN_PALETTE },
});

/** A keyboard and a screen. `type` waits until the question is on the screen. */
const terminal = (interrupted = new AbortController().signal) => {
  const setRawMode = (raw: boolean) => Object.assign(stdin, { raw });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, raw: false, setRawMode });
  // As the process's own: what is piped into it does not end it.
  const stderrStream = Object.assign(new PassThrough(), { _isStdio: true });
  let screen = '';
  const asked = new Promise<void>((resolve) => {
    stderrStream.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
      if (/\(y\/N\)|Token:|is "a"\?/.test(screen)) resolve();
    });
  });
  const [interrupt, release] = [vi.fn(), vi.fn()];
  const hold = vi.fn(() => release);
  const clock = { sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 5)) };
  const machine = { stdin, stderrStream, stderr: { isTTY: true }, clock, interrupt, interrupted };
  const prompter = new Prompter({ machine: machine as unknown as Machine, enabled: true, style, hold });
  const type = async (...keys: string[]): Promise<void> => {
    await asked;
    for (const key of keys) {
      stdin.write(key);
      await new Promise(setImmediate);
    }
  };
  const confirm = () =>
    prompter.confirm({ question: 'approve 3 timesheets', facts: ['workspace  Acme\x1b[2J'] });
  return { interrupt, hold, release, stdin, prompter, confirm, type, asked, screen: () => screen };
};

it('a choice asks a question as it is', async () => {
  const { prompter, type, screen } = terminal();
  const answer = prompter.choose('Which member is "a"?', ['Ana', 'Alba']);
  await type('\r');
  expect(await answer).toBe('Ana');
  expect(screen()).not.toContain('?:');
});

it.each([
  [['\r'], false],
  [['y', '\r'], true],
  [['YES', '\r'], true],
  [['n', '\r'], false],
  [['x', '\r'], false],
  [['yes, all of them', '\r'], false],
])('a question is confirmed by %j: %s', async (keys, answer) => {
  const t = terminal();
  const question = t.confirm();
  await t.type(...keys);
  expect(await question).toBe(answer);
  expect(t.screen()).toContain('workspace  Acme\\x1b[2J\n');
  expect(t.screen()).toContain('Approve 3 timesheets? (y/N)');
});

it('every question stands on after Ctrl-Z', async () => {
  // Readline by itself would stop this very process.
  const stopped = vi.spyOn(process, 'kill').mockReturnValue(true);
  const t = terminal();
  const answer = t.confirm();
  await t.type('y', '\x1a', '\r');
  expect(await answer).toBe(true);
  expect(stopped).not.toHaveBeenCalled();
  stopped.mockRestore();
});

it('every question has the terminal for itself until it is answered', async () => {
  const t = terminal();
  const answer = t.confirm();
  await t.type('y');
  expect([t.hold.mock.calls.length, t.release.mock.calls.length]).toEqual([1, 0]);
  await t.type('\r');
  await answer;
  expect(t.release).toHaveBeenCalledTimes(1);
});

it('every question is not answered by what was typed before it was there, nor by a burst that goes on after Enter', async () => {
  const t = terminal();
  t.stdin.write('y\r');
  const answer = t.confirm();
  await t.type('y\rls -l\r');
  await vi.waitFor(() => expect(t.screen()).toMatch(/More keys came with the answer[\s\S]*\(y\/N\)/));
  await t.type('y\r');
  expect(await answer).toBe(true);
});

it('every question takes a paste as text, and marks pastes as long as it is asked', async () => {
  const t = terminal();
  const answer = t.confirm();
  await t.type('\x1b[200~y\r\x1b[201~');
  await vi.waitFor(() => expect(t.screen()).toContain('(y/N) y'));
  // `h`: the terminal is told to mark pastes; `l`: no longer.
  const modes = () => [...t.screen().matchAll(/\[\?2004([hl])/g)].map(([, mode]) => mode);
  expect(modes()).toEqual(['h']);
  await t.type('\r');
  expect(await answer).toBe(true);
  expect(modes()).toEqual(['h', 'l']);
});

// Ctrl-C and Ctrl-D: test/terminal-session.process.test.ts.
it.each(['confirm', 'secret'])('a question ends with its input, the terminal restored: %s', async (kind) => {
  const t = terminal();
  const question = kind === 'confirm' ? t.confirm() : t.prompter.secret('Token');
  const end = t.asked.then(() => t.stdin.end());
  await Promise.all([expect(question).rejects.toMatchObject({ name: 'Cancelled', exit: 9 }), end]);
  expect([t.stdin.raw, t.stdin.isPaused(), t.interrupt.mock.calls]).toEqual([false, true, []]);
});

it('a question ends at once when the input is closed already, and with the signal', async () => {
  const closed = terminal();
  closed.stdin.destroy();
  await expect(closed.prompter.secret('Token')).rejects.toMatchObject({ exit: 9 });
  const controller = new AbortController();
  const t = terminal(controller.signal);
  const question = t.prompter.secret('Token');
  await t.asked;
  controller.abort();
  await expect(question).rejects.toBeInstanceOf(Cancelled);
});

const ID = '47f66630-9ce3-41f0-b882-9f5c6d010770';
const at = (width: number, confirmation: Partial<Confirmation>, unicode = true) =>
  formatConfirmation({ question: 'approve', facts: [], ...confirmation }, { ...style(), unicode, width });
it('what stands above a question at 30 columns wraps between words and cells', async () => {
  const sheets = {
    facts: [
      'profile    work (/home/ana/.config/ttctl/credentials.json)',
      'workspace  Lindenhof Studio (101)',
    ],
    sample: [
      ['Samir Haddad', 'Nov 9–15', '41:30', ID],
      ['Tomasz Zieliński', 'Nov 9–15', '8:00', ID],
    ],
    more: 7,
  };
  const lines = await at(30, sheets, false);
  expect(lines).toEqual([
    '  profile    work',
    '             (/home/ana/.config/ttctl/credentials.json)',
    '  workspace  Lindenhof Studio',
    '             (101)',
    '',
    '  Samir Haddad      Nov 9–15',
    '    41:30',
    `    ${ID}`,
    '  Tomasz Zieliński  Nov 9–15',
    '    8:00',
    `    ${ID}`,
    '  ... and 7 more',
    '',
  ]);
});

it('what stands above a question cuts no id, and keeps one that nothing else stands for', async () => {
  expect(await at(30, { sample: [[ID], ['Ana', '7']] })).toEqual([`  ${ID}`, '  Ana', '    7', '']);
});

it('what stands above a question takes no line and no colour from a name', async () => {
  const lines = await at(80, {
    facts: ['workspace  Mine\nprofile    other'],
    sample: [['Ana\n  Bob\x1b[2J\u202e', '7']],
  });
  expect(lines).toEqual(['  workspace  Mine\\nprofile other', '', '  Ana\\n Bob\\x1b[2J\\u202e  7', '']);
});

it('what stands above a question is nothing where there is nothing to say', async () => {
  expect(await at(80, {})).toEqual([]);
});
