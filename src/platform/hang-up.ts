import { fstatSync, readFileSync } from 'node:fs';
import { EXIT } from '../outcome.ts';

/**
 * Whether what started this process wants it to outlive the terminal. Node begins with every signal at its default,
 * so that the mark of `nohup` and of `trap '' HUP` is gone: shells name in `_` what they started, and Linux tells what
 * the parent ignores and handed on. Asked when the signal comes.
 */
export const outlivesTerminal = (
  env: Readonly<Record<string, string | undefined>>,
  startedBy: number,
): boolean => {
  if (/(?:^|\/)nohup$/.test(env._ ?? '')) return true;
  // Whose child this has become meanwhile says nothing.
  if (process.ppid !== startedBy) return false;
  try {
    const [, ignored = ''] =
      /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${startedBy}/status`, 'utf8')) ?? [];
    return /[13579bdf]$/.test(ignored);
  } catch {
    return false;
  }
};

const isGone = (fd: number): boolean => {
  try {
    // Loaded by few: at its end alone.
    return fstatSync(fd).isCharacterDevice() && !process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return true;
  }
};

/** Ends by the signal itself: Node aborts, with a dump, at an end where it finds its terminal gone. */
export const exitByHangUp = (code: unknown, leave: () => void): void => {
  if (code === EXIT.hungUp || [0, 1, 2].some(isGone)) leave();
};

/** What Node throws of a terminal that closed while it was asked something. */
export const isHangUpError = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  Reflect.get(thrown, 'code') === 'EIO' &&
  Reflect.get(thrown, 'syscall') === 'setRawMode';
