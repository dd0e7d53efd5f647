import type { Command } from 'commander';
import type { Page, Row } from '../../api/page.ts';
import type { Context, SandboxDesk } from '../../context.ts';
import { Failure, UsageError } from '../../outcome.ts';
import { commandLine, commandsByRoute } from './log-line.ts';

/** The log of a sandbox as pages of a list: what is there, and what comes in. */

type Control = ReturnType<SandboxDesk['control']>;
type Kept = Awaited<ReturnType<Control['log']>>[number];

interface LogView {
  readonly control: Control;
  readonly follow: boolean;
  /** The program with every noun loaded. */
  readonly root: Command;
}

const LOOK_AGAIN_MS = 200;

/** @throws UsageError where a list without an end would never be printed */
const checkFormat = ({ settings }: Context): void => {
  const { output, query, sort } = settings;
  const held = output.value === 'json' ? '--output json' : query ? '--query' : sort ? '--sort' : undefined;
  if (held === undefined) return;
  throw new UsageError(`--follow excludes ${held}`, {
    reason: 'It needs the whole list, and this one has no end.',
    hint: 'Use --output ndjson, csv, tsv, markdown, ids or table.',
  });
};

/** A server that was stopped ends the log; nothing went wrong. */
const unlessGone = (error: unknown): undefined => {
  if (error instanceof Failure && error.code === 'network') return undefined;
  throw error;
};

const isText = (value: string | undefined): value is string => value !== undefined;

/** Each row with the name of its operation and the command that sends the same. */
const withCommands = async ({ control, root }: LogView): Promise<(row: Kept) => Row> => {
  const commands = commandsByRoute(root);
  const home = (await control.status()).workspaces[0]?.id;
  return ({ id, at, route, status, ...rest }) => ({
    id,
    at,
    operation: commands.get(route ?? '')?.operation.id ?? `${rest.method} ${rest.path}`,
    route,
    status,
    ...rest,
    command: commandLine(commands, { route, ...rest }, home),
  });
};

/** @throws UsageError for a format that cannot follow */
export const logPages = async (context: Context, view: LogView): Promise<AsyncIterable<Page>> => {
  const { window, clock, interrupted, output, exit } = context;
  const { control, follow } = view;
  if (follow) checkFormat(context);
  const shown = await withCommands(view);
  const all = await control.log();
  const first = all.slice(-(window.limit ?? all.length));
  const news = async function* (): AsyncGenerator<Page> {
    let last = all.map(({ id }) => id).at(-1);
    while (!interrupted.aborted) {
      await clock.sleep(LOOK_AGAIN_MS, interrupted).catch(() => undefined);
      const rows = await control.log(last).catch(unlessGone);
      if (rows === undefined) return output.note('The sandbox has ended.');
      if (rows.length > 0) yield { rows: rows.map(shown), total: undefined };
      last = [last, rows.at(-1)?.id].filter(isText).at(-1);
    }
    exit(Number(interrupted.reason?.exit));
  };
  return (async function* () {
    const shortened = !follow && first.length < all.length;
    yield { rows: first.map(shown), total: all.length, ...(shortened ? { shortened } : {}) };
    if (follow) yield* news();
  })();
};
