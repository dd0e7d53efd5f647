import type { PageWindow } from '../api/pages.ts';
import { hasFlag } from '../cli/command.ts';
import type { Invocation } from '../cli/invocation.ts';
import { UsageError } from '../outcome.ts';

/** The part of a list that was asked for: `--limit`, `--page`, `--per-page`. */

/** No list has more rows. */
const MOST = 999_999_999;

const whole = (
  options: Readonly<Record<string, unknown>>,
  name: string,
  flag: string,
  max?: number,
): number | undefined => {
  const raw = options[name];
  if (raw === undefined) return undefined;
  const number = Number(raw);
  const digits = /^\d+$/.test(String(raw));
  if (digits && max === undefined && number > MOST) {
    throw new UsageError(`${flag}: ${raw} is out of range: from 1 to ${MOST}`);
  }
  if (!digits || number < 1 || (max !== undefined && number > max)) {
    throw new UsageError(
      `${flag}: "${raw}" is not a whole number ${max === undefined ? 'from 1' : `from 1 to ${max}`}`,
    );
  }
  return number;
};

export interface RowWindow {
  /** What is asked of the service. */
  readonly window: PageWindow;
  /** So many of the sorted or grouped rows are shown: before, all are read. */
  readonly limit?: number;
}

/**
 * @param invocation of a command that may count groups: its list is held back for them, and for `--sort`
 * @param sorted whether the rows are put in another order
 * @param attempt takes what is thrown: UsageError for what is no whole number in range
 */
export const readWindow = (
  invocation: Invocation,
  sorted: boolean,
  attempt: <T>(work: () => T) => T | undefined,
): RowWindow => {
  const { options } = invocation;
  const limit = attempt(() => whole(options, 'limit', '--limit'));
  const page = attempt(() => whole(options, 'page', '--page'));
  const perPage = attempt(() => whole(options, 'perPage', '--per-page', 100));
  const window = { ...(page && { page }), ...(perPage && { perPage }) };
  if (limit === undefined) return { window };
  const list = hasFlag(invocation.command, 'group-by');
  return list && (sorted || options.groupBy !== undefined)
    ? { window, limit }
    : { window: { ...window, limit } };
};
