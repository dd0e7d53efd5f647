import { allOperations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import type { Context, SandboxService } from '../../context.ts';
import { Failure, UsageError } from '../../outcome.ts';

/** The rows of a sandbox's log: what is there, and what comes in. */

type Control = ReturnType<SandboxService['control']>;
type LogEntry = Awaited<ReturnType<Control['log']>>[number];

const POLL_INTERVAL_MS = 200;
/** Earlier rows that are shown first, as `tail -f` does. */
const INITIAL_ROWS = 10;

/** A server that was stopped ends the log; nothing went wrong. */
const ignoreNetworkFailure = (error: unknown): undefined => {
  if (error instanceof Failure && error.code === 'network') return undefined;
  throw error;
};

/** The row with the name of its operation. */
const toRow = ({ id, at, route, status, ...rest }: LogEntry): Row => ({
  id,
  at,
  operation: allOperations().find((one) => one.route === route)?.id ?? `${rest.method} ${rest.path}`,
  route,
  status,
  ...rest,
});

/** The latest rows, as many as `--limit` says. */
export const readLogPage = async (
  { window }: Pick<Context, 'window'>,
  control: Control,
): Promise<ListPage> => {
  const all = await control.log();
  const rows = all.slice(-(window.limit ?? all.length));
  const shortened = rows.length < all.length;
  return { rows: rows.map(toRow), total: all.length, ...(shortened ? { shortened } : {}) };
};

/**
 * The latest rows, then each as it comes in, until Ctrl-C: that is no failure, but sets the exit code.
 * @throws UsageError with `--sort`, which needs an end
 */
export async function* followLog(context: Context, control: Control): AsyncGenerator<Row> {
  const { clock, interrupted, output, exit, settings } = context;
  if (settings.sort !== undefined)
    throw new UsageError('--follow cannot be used with --sort', { reason: 'Its output is endless.' });
  const window = { ...context.window, limit: context.window.limit ?? INITIAL_ROWS };
  const { rows } = await readLogPage({ window }, control);
  yield* rows;
  let last = rows.at(-1)?.id;
  while (!interrupted.aborted) {
    await clock.sleep(POLL_INTERVAL_MS, interrupted).catch(() => undefined);
    const newEntries = await control
      .log(typeof last === 'string' ? { after: last } : {})
      .catch(ignoreNetworkFailure);
    if (newEntries === undefined) return output.note('The sandbox has stopped.');
    yield* newEntries.map(toRow);
    last = newEntries.at(-1)?.id ?? last;
  }
  exit(Number(interrupted.reason?.exit));
}
