import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';

import { reviewOnScreen } from '../../src/screen/review.ts';
import { createReviewState, listDecisions, type Review } from '../../src/screen/state.ts';
import { loadedWith } from '../support/tree.ts';
import { ITEMS } from './items.ts';

beforeAll(() => prepareWidths(['山']));

/** A keyboard and a screen. `type` waits until the review is on the screen. */
const terminal = (
  signal?: AbortSignal,
  { columns = 80, evidence = async () => [] }: { columns?: number; evidence?: Review['evidence'] } = {},
) => {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    raw: false,
    setRawMode(on: boolean) {
      this.raw = on;
      return this;
    },
  });
  // As the process's own: what is piped into it does not end it.
  const stderr = Object.assign(new PassThrough(), { columns, rows: 24, isTTY: true, _isStdio: true });
  let screen = '';
  let seen = (): void => {};
  const shown = new Promise<void>((resolve) => {
    seen = resolve;
  });
  stderr.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    if (screen.includes('waiting')) seen();
  });
  const review = {
    items: ITEMS,
    warnings: [],
    again: 'ttctl inbox',
    isWhole: true,
    evidence,
  };
  const options = {
    ...{ stdin, stderr },
    style: { palette: PLAIN_PALETTE, unicode: true },
    action: 'send',
    account: async () => ['profile    default'],
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 5)),
    ...(signal && { signal }),
  };
  const answer = reviewOnScreen(review, options, createReviewState(ITEMS, [])).then(listDecisions);
  answer.catch(() => {});
  /** Keys by themselves; with a pattern, until what comes to the screen from then on shows it. */
  const type = async (
    ...steps: readonly (string | readonly [key: string, shows: RegExp])[]
  ): Promise<void> => {
    await shown;
    for (const step of steps) {
      const [key, shows] = typeof step === 'string' ? [step] : step;
      const before = screen.length;
      stdin.write(key);
      do await new Promise(setImmediate);
      while (shows?.test(screen.slice(before)) === false);
    }
  };
  return { stdin, stderr, answer, type, shown, screen: () => screen };
};

const SEND = ['S', /Enter to send/] as const;

const restored = ({ stdin, screen }: ReturnType<typeof terminal>): void => {
  expect(stdin.raw).toBe(false);
  expect(stdin.isPaused()).toBe(true);
  // Back on the first page of the screen, the cursor shown.
  expect(screen().startsWith('\x1b[?1049h')).toBe(true);
  expect([...screen().matchAll(/\[\?2004([hl])/g)].map(([, mode]) => mode)).toEqual(['h', 'l']);
  expect(screen().endsWith('\x1b[?1049l\x1b[?25h')).toBe(true);
};

describe('the screen', () => {
  it('takes a paste as text in any pieces, and has pastes marked until it ends', async () => {
    const t = terminal();
    await t.type('r', '\x1b[20', '0~a\r', '\nS', '\x03\x1b[31m é\n', '\x1b[2', ['01~', /> a S/]);
    await t.type(['\r', /1 to reject/], SEND, '\r');
    expect(await t.answer).toEqual([{ key: 'a', verdict: 'reject', reason: 'a S[31m é' }]);
    restored(t);
  });

  it('is left with Ctrl-C where the end of a paste was lost', async () => {
    const t = terminal();
    await t.type('a', '\x1b[200~aa', '\x03');
    await expect(t.answer).rejects.toMatchObject({ exit: EXIT.interrupted });
  });

  it('drops what was typed before it was there', async () => {
    const t = terminal();
    t.stdin.write('a');
    await t.type('j', 'a', SEND, '\r');
    expect(await t.answer).toEqual([{ key: 'b', verdict: 'approve' }]);
  });

  it('takes Esc for itself, however long a terminal waits for the rest of a key', async () => {
    const t = terminal();
    await t.type('r', 'n', 'o', '\x1b');
    await new Promise((resolve) => setTimeout(resolve, 150));
    await t.type('a', '\x1b[B', 'a', SEND, '\r');
    expect(await t.answer).toEqual([
      { key: 'a', verdict: 'approve' },
      { key: 'c', verdict: 'approve' },
    ]);
  });

  it('is drawn anew when the terminal changes its size', async () => {
    const t = terminal();
    await t.shown;
    Object.assign(t.stderr, { columns: 40, rows: 12 });
    t.stderr.emit('resize');
    await new Promise(setImmediate);
    const last = t.screen().slice(t.screen().lastIndexOf('\x1b[2J'));
    expect(last).toContain('a approve  r reject  S review  ? help');
    expect(last).not.toContain('DETAILS');
    await t.type('q');
    await t.answer;
  });

  it('reads the evidence of an item once, and shows a failure in its place', async () => {
    const asked: string[] = [];
    const evidence = async (key: string) => {
      asked.push(key);
      if (key === 'a') throw new Error('bro\x1bken');
      return [{ label: 'weekly limit', lines: ['40:00'] }];
    };
    const t = terminal(undefined, { columns: 100, evidence });
    const shows = (text: string) => expect.poll(t.screen, { timeout: 10_000 }).toContain(text);
    await t.shown;
    await shows('bro\\x1bken');
    await t.type('j');
    await shows('weekly limit');
    await t.type('k', 'j', 'q');
    await t.answer;
    expect(asked).toEqual(['a', 'b']);
  });

  const ends: [string, (t: ReturnType<typeof terminal>) => Promise<void>, number][] = [
    ['Ctrl-C', (t) => t.type('a', '\x03'), EXIT.interrupted],
    ['Ctrl-C while a reason is typed', (t) => t.type('r', 'x', '\x03'), EXIT.interrupted],
    ['Ctrl-D', (t) => t.type('a', '\x04'), EXIT.cancelled],
    ['Ctrl-D while a reason is typed', (t) => t.type('r', 'x', '\x04'), EXIT.cancelled],
    ['the end of the input', (t) => t.shown.then(() => void t.stdin.end()), EXIT.cancelled],
  ];
  it.each(ends)('ends with %s, the terminal restored', async (_name, end, exit) => {
    const t = terminal();
    const failure = expect(t.answer).rejects.toSatisfy(
      (error) => error instanceof Cancelled && error.exit === exit,
    );
    await end(t);
    await failure;
    restored(t);
  });

  it('ends with a signal', async () => {
    const controller = new AbortController();
    const t = terminal(controller.signal);
    await t.type('a');
    controller.abort(new Cancelled('terminated', EXIT.terminated));
    await expect(t.answer).rejects.toMatchObject({ exit: EXIT.terminated });
    restored(t);
  });
});

it('the screen is no part of an ordinary command, nor of the inbox in a pipe', () => {
  const loaded = ['main.ts', 'run.ts', 'commands/inbox/index.ts'].flatMap((file) => [...loadedWith(file)]);
  expect(loaded).toContain('decide/warnings.ts');
  expect(loaded.filter((file) => /screen\//.test(file))).toEqual([]);
});
