import { constants } from 'node:os';
import { EXIT } from '../errors.ts';
import type { Machine } from './machine.ts';

/** What a command that ttctl runs for somebody shares with every other. */

/**
 * Passes the end of this process on. Ctrl-C at a terminal reaches the command by itself, and a second one
 * would make it leave in the middle of a write. One signal does not end this process before its command has ended.
 * @param ownGroup whether Ctrl-C does not reach it
 */
export const forwardSignals = (
  { stdin, interrupted, exitNotices }: Pick<Machine, 'stdin' | 'interrupted' | 'exitNotices'>,
  child: { readonly kill: (signal: NodeJS.Signals) => unknown },
  ownGroup = false,
): (() => void) => {
  const forward = (): void => {
    const exit = interrupted.reason?.exit;
    if (exit === EXIT.terminated) child.kill('SIGTERM');
    else if (exit === EXIT.hungUp) child.kill('SIGHUP');
    else if (ownGroup || !stdin.isTTY) child.kill('SIGINT');
  };
  if (interrupted.aborted) forward();
  interrupted.addEventListener('abort', forward);
  let resolveChildEnd = (): void => {};
  const childEnd = new Promise<void>((resolve) => {
    resolveChildEnd = resolve;
  });
  void exitNotices.during(
    () => undefined,
    () => childEnd,
    true,
  );
  return () => {
    interrupted.removeEventListener('abort', forward);
    resolveChildEnd();
  };
};

/** As a shell says it: 128 + n after signal n. */
export const toExitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
