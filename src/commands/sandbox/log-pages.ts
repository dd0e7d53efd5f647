import type { ListPage, Row } from '../../api/page.ts';
import type { Program } from '../../cli/command.ts';
import type { Context, SandboxService } from '../../context.ts';
import { Failure, UsageError } from '../../outcome.ts';
import { formatLogCommand, mapCommandsByRoute } from './log-line.ts';

/** The rows of a sandbox's log: what is there, and what comes in. */

type Control = ReturnType<SandboxService['control']>;
type LogEntry = Awaited<ReturnType<Control['log']>>[number];

interface LogView {
  readonly control: Control;
  readonly program: Program;
}

const POLL_INTERVAL_MS = 200;
/** Earlier rows that are shown first, as `tail -f` does. */
const INITIAL_ROWS = 10;

/** A server that was stopped ends the log; nothing went wrong. */
const ignoreNetworkFailure = (error: unknown): undefined => {
  if (error instanceof Failure && error.code === 'network') return undefined;
  throw error;
};

/** Each row with the name of its operation and the command that sends the same. */
const createRowFormatter = async ({ control, program }: LogView): Promise<(row: LogEntry) => Row> => {
  const commands = mapCommandsByRoute(program);
  const homeWorkspaceId = (await control.status()).workspaces[0]?.id;
  return ({ id, at, route, status, ...rest }) => ({
    id,
    at,
    operation: commands.get(route ?? '')?.operation.id ?? `${rest.method} ${rest.path}`,
    route,
    status,
    ...rest,
    command: formatLogCommand(commands, { route, ...rest }, homeWorkspaceId),
  });
};

/** The latest rows, as many as `--limit` says. */
export const readLogPage = async ({ window }: Pick<Context, 'window'>, view: LogView): Promise<ListPage> => {
  const all = await view.control.log();
  const rows = all.slice(-(window.limit ?? all.length));
  const shortened = rows.length < all.length;
  const toRow = await createRowFormatter(view);
  return { rows: rows.map(toRow), total: all.length, ...(shortened ? { shortened } : {}) };
};

/**
 * The latest rows, then each as it comes in, until Ctrl-C: that is no failure, but sets the exit code.
 * @throws UsageError with `--sort`, which needs an end
 */
export async function* followLog(context: Context, view: LogView): AsyncGenerator<Row> {
  const { clock, interrupted, output, exit, settings } = context;
  if (settings.sort !== undefined)
    throw new UsageError('--follow cannot be used with --sort', { reason: 'Its output is endless.' });
  const toRow = await createRowFormatter(view);
  const window = { ...context.window, limit: context.window.limit ?? INITIAL_ROWS };
  const { rows } = await readLogPage({ window }, view);
  yield* rows;
  let last = rows.at(-1)?.id;
  while (!interrupted.aborted) {
    await clock.sleep(POLL_INTERVAL_MS, interrupted).catch(() => undefined);
    const newEntries = await view.control
      .log(typeof last === 'string' ? { after: last } : {})
      .catch(ignoreNetworkFailure);
    if (newEntries === undefined) return output.note('The sandbox has stopped.');
    yield* newEntries.map(toRow);
    last = newEntries.at(-1)?.id ?? last;
  }
  exit(Number(interrupted.reason?.exit));
}
