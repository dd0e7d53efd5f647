import { PassThrough } from 'node:stream';
import { beforeAll, expect, it } from 'vitest';
import type { Evidence } from '../../src/decide/evidence.ts';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';
import { reviewOnScreen } from '../../src/screen/review.ts';
import { listDecisions } from '../../src/screen/state.ts';
import { loadedWith } from '../support/tree.ts';
import { ITEMS, startReview } from './items.ts';

beforeAll(() => prepareWidths(['山']));

/** The review before a keyboard and a screen. */
const open = ({
  columns = 80,
  evidence = async (_key: string): Promise<Evidence> => [],
  signal = new AbortController().signal,
} = {}) => {
  const stdin = Object.assign(new PassThrough(), {
    ...{ isTTY: true, raw: false },
    setRawMode(on: boolean) {
      this.raw = on;
    },
  });
  // As the process's own: what is piped into it does not end it.
  const stderr = Object.assign(new PassThrough(), { columns, rows: 24, isTTY: true, _isStdio: true });
  let screen = '';
  stderr.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  const options = {
    ...{ stdin, stderr, signal, style: { palette: PLAIN_PALETTE, unicode: true }, action: 'send' },
    account: async () => ['profile    default'],
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 5)),
  };
  const review = { items: ITEMS, warnings: [], again: 'ttctl inbox', isWhole: true, evidence };
  const answer = reviewOnScreen(review, options, startReview()).then(listDecisions);
  answer.catch(() => {});
  /** Waits until the screen shows it, from a place in what came so far; fails with what stands there. */
  const until = (shows: RegExp, from = 0) =>
    expect.poll(() => screen.slice(from), { timeout: 10_000, interval: 2 }).toMatch(shows);
  /** Keys once the review is there; with a pattern, until what comes to the screen from then on shows it. */
  const type = async (...steps: readonly (string | readonly [key: string, shows: RegExp])[]) => {
    await until(/waiting/);
    for (const [key, shows] of steps.map((step) => [step].flat() as [string, RegExp?])) {
      const before = screen.length;
      stdin.write(key);
      await new Promise(setImmediate);
      if (shows !== undefined) await until(shows, before);
    }
  };
  /** The first page of the screen, the cursor, keys and pastes are as they were. */
  const checkRestored = (): void => {
    expect([stdin.raw, stdin.isPaused()]).toEqual([false, true]);
    expect(screen.startsWith('\x1b[?1049h')).toBe(true);
    expect([...screen.matchAll(/\[\?2004([hl])/g)].map(([, mode]) => mode)).toEqual(['h', 'l']);
    expect(screen.endsWith('\x1b[?1049l\x1b[?25h')).toBe(true);
  };
  return { stdin, stderr, answer, type, until, checkRestored, screen: () => screen };
};

const SEND = ['S', /Enter to send/] as const;

it('a paste is a text, in whatever pieces it comes', async () => {
  const t = open();
  await t.type('r', '\x1b[20', '0~a\r', '\nS', '\x03\x1b[31m é\n', '\x1b[2', ['01~', /> a S/]);
  await t.type(['\r', /1 to reject/], SEND, '\r');
  expect(await t.answer).toEqual([{ key: 'a', verdict: 'reject', reason: 'a S[31m é' }]);
  t.checkRestored();
});

it('of what a terminal sends, letters of any kind are typed, and what has no meaning is nothing', async () => {
  const t = open();
  await t.type(['r', /Reason/], 'x', '\x15', '🌊', ' ', 'A', 'é', '/', '\x1bb', '\u009b', '\x1b[5~', '\x06');
  await t.type(['\r', /1 to reject/], SEND, '\r');
  expect(await t.answer).toEqual([{ key: 'a', verdict: 'reject', reason: '🌊 Aé/' }]);
});

it('what was typed before the screen is there is dropped', async () => {
  const t = open();
  t.stdin.write('a');
  await t.type('j', 'a', SEND, '\r');
  expect(await t.answer).toEqual([{ key: 'b', verdict: 'approve' }]);
});

it('Esc is taken for itself, however long a terminal waits for the rest of a key', async () => {
  const t = open();
  await t.type('r', 'n', 'o', ['\x1b', /a approve/], 'a', '\x1b[B', 'a', SEND, '\r');
  const approved = ['a', 'c'].map((key) => ({ key, verdict: 'approve' }));
  expect(await t.answer).toEqual(approved);
});

it('the screen is drawn anew when the terminal changes its size', async () => {
  const t = open();
  await t.until(/waiting/);
  Object.assign(t.stderr, { columns: 40, rows: 12 });
  t.stderr.emit('resize');
  await t.until(/\[2J(?![\s\S]*DETAILS)[\s\S]*a approve {2}r reject {2}S review {2}\? help/, 20);
  await t.type('q');
  await t.answer;
});

it('evidence is asked for once, though it is pending, in the order of the cursor; each stands with its item', async () => {
  const answers = new Map<string, (parts: Evidence) => void>();
  const asked: string[] = [];
  const evidence = (key: string) => {
    asked.push(key);
    return new Promise<Evidence>((resolve) => answers.set(key, resolve));
  };
  const t = open({ columns: 100, evidence });
  const tell = (key: string) => answers.get(key)?.([{ label: 'limit', lines: [`of ${key}`] }]);
  await t.type(['j', /Öberg, Annual leave/], ['k', /Ana Sousa, timesheet/], ['j', /Öberg, Annual leave/]);
  expect(asked).toEqual(['a', 'b']);
  // The answer for the one that is looked at comes first.
  tell('b');
  await t.until(/limit +of b/);
  tell('a');
  await t.type(['k', /limit +of a/], ['j', /limit +of b/], 'q');
  await t.answer;
  expect(asked).toEqual(['a', 'b']);
});

it('evidence that fails is a line in its place', async () => {
  const t = open({ columns: 100, evidence: () => Promise.reject(new Error('bro\x1bken')) });
  await t.until(/bro\\x1bken/);
  await t.type('q');
  await t.answer;
});

it.each<[what: string, end: (t: ReturnType<typeof open>) => unknown, exit: number]>([
  ['Ctrl-C', (t) => t.type('a', '\x03'), EXIT.interrupted],
  ['Ctrl-C before it is drawn', (t) => t.stdin.write('\x03'), EXIT.interrupted],
  ['Ctrl-C right after the last Enter', (t) => t.type('a', SEND, '\r\x03'), EXIT.interrupted],
  ['Ctrl-C while a reason is typed', (t) => t.type('r', 'x', '\x03'), EXIT.interrupted],
  ['Ctrl-C where the end of a paste was lost', (t) => t.type('a', '\x1b[200~aa', '\x03'), EXIT.interrupted],
  ['Ctrl-D', (t) => t.type('a', '\x04'), EXIT.cancelled],
  ['Ctrl-D while a reason is typed', (t) => t.type('r', 'x', '\x04'), EXIT.cancelled],
  ['the end of the input', (t) => t.until(/waiting/).then(() => t.stdin.end()), EXIT.cancelled],
])('%s ends it with nothing sent, the terminal as it was', async (_what, end, exit) => {
  const t = open();
  const isEnded = expect(t.answer).rejects.toMatchObject({ name: 'Cancelled', exit });
  await end(t);
  await isEnded;
  t.checkRestored();
});

it('a signal ends it', async () => {
  const controller = new AbortController();
  const t = open({ signal: controller.signal });
  await t.type('a');
  controller.abort(new Cancelled('terminated', EXIT.terminated));
  await expect(t.answer).rejects.toMatchObject({ exit: EXIT.terminated });
  t.checkRestored();
});

it('the screen is no part of an ordinary command, nor of the inbox in a pipe', () => {
  const loaded = ['main.ts', 'run.ts', 'commands/inbox/index.ts'].flatMap((file) => [...loadedWith(file)]);
  expect(loaded).toContain('decide/warnings.ts');
  expect(loaded.filter((file) => /screen\//.test(file))).toEqual([]);
});
