import type { Call } from '../api/client.ts';
import type { Page, Row } from '../api/page.ts';
import type { Context, TargetResult } from '../context.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../outcome.ts';
import { type Sent, sendOne } from './send.ts';
import { readTargets } from './targets.ts';

/** One write for each of many targets. */
export interface Each {
  /** Targets as given on the command line. */
  readonly targets: readonly string[];
  /** Imperative and past: `['approve', 'approved']`. */
  readonly verb: readonly [string, string];
  /** One and many: `['timesheet', 'timesheets']`. */
  readonly noun: readonly [string, string];
  /** Whether one target alone asks too: it destroys or decides. */
  readonly asks: boolean;
  /** A name or e-mail address to an id, after all targets have been checked. */
  readonly resolve?: (target: string) => Promise<string>;
  readonly call: (id: string) => Call;
  /** What `--all` means: a list, and which of its rows can be acted on. */
  readonly all?: All;
  /** For people, after all is done: how to take it back. */
  readonly next?: (ids: readonly string[]) => string;
}

export interface All {
  readonly pages: () => AsyncIterable<Page>;
  /** Whether the row is in the right state. */
  readonly ready: (row: Row) => boolean;
  /** A row in a few words, for the question. */
  readonly words: (row: Row) => string;
  /** Fetches the names that `words` needs for these rows. */
  readonly load?: (rows: readonly Row[]) => Promise<void>;
}

interface Target {
  /** As the person wrote it. */
  readonly name: string;
  readonly id: string;
  /** For the question. */
  readonly words: string;
}

/** How many writes are on their way at once. */
const OVERLAP = 4;
const SAMPLE = 5;

const plural = (count: number, [single, many]: readonly [string, string]): string =>
  `${count} ${count === 1 ? single : many}`;

const listed = async (all: All): Promise<Target[]> => {
  const rows: Row[] = [];
  for await (const page of all.pages()) rows.push(...page.rows.filter(all.ready));
  await all.load?.(rows.slice(0, SAMPLE));
  return rows.map((row, index) => {
    const id = String(row.id);
    return { name: id, id, words: index < SAMPLE ? all.words(row) : id };
  });
};

const named = async (context: Context, each: Each): Promise<Target[]> => {
  const targets = await readTargets(context, each.targets);
  if (targets.length === 0) {
    const ways =
      each.all === undefined ? 'or - to read them from stdin' : '- to read them from stdin, or --all';
    throw new UsageError(`no ${each.noun[0]} named`, { hint: `Name one or more, ${ways}.` });
  }
  for (const target of targets) each.call(target).check();
  const found: Target[] = [];
  for (const name of targets) {
    const id = (await each.resolve?.(name)) ?? name;
    found.push({ name, id, words: id === name ? name : `${name} (${id})` });
  }
  return found;
};

const collect = async (context: Context, each: Each, all: boolean): Promise<Target[]> => {
  if (!all) return named(context, each);
  if (each.targets.length > 0) throw new UsageError('--all and named targets exclude each other');
  if (each.all === undefined) throw new UsageError('--all is not for this command');
  each.call('0').check();
  return listed(each.all);
};

const permit = async (context: Context, each: Each, targets: readonly Target[]): Promise<void> => {
  if (context.settings.dryRun.value || (targets.length === 1 && !each.asks)) return;
  const sample = targets.slice(0, SAMPLE).map((target) => `  ${target.words}`);
  if (targets.length > SAMPLE) sample.push(`  … and ${targets.length - SAMPLE} more`);
  await context.confirm({ question: `${each.verb[0]} ${plural(targets.length, each.noun)}`, facts: sample });
};

/** Sends in order, several on their way at once; a name given twice is sent once. */
async function* sendAll(context: Context, each: Each, targets: readonly Target[]): AsyncGenerator<Sent> {
  const seen = new Set<string>();
  const start = async ({ name, id }: Target): Promise<Sent> => {
    const call = each.call(id);
    if (seen.has(id)) {
      const message = 'named twice; sent once';
      return { result: { target: name, status: 'skipped', operation: call.operation.id, message } };
    }
    seen.add(id);
    return sendOne(context.api, call, name);
  };
  const underway: Promise<Sent>[] = [];
  for (const target of targets) {
    if (context.interrupted.aborted) break;
    underway.push(start(target));
    if (underway.length >= OVERLAP) yield await (underway.shift() as Promise<Sent>);
  }
  for (const sent of underway) yield await sent;
}

async function* results(
  sents: AsyncIterable<Sent>,
  failures: Failure[],
  ids: string[],
): AsyncGenerator<TargetResult> {
  for await (const { result, failure } of sents) {
    if (failure === undefined) ids.push(result.target);
    else failures.push(failure);
    yield result;
  }
}

/** The end of a run (contract, section 3): all failed alike is that failure's code, else 8. */
const verdict = (failures: readonly Failure[], count: number, { noun, verb }: Each): Failure | undefined => {
  const [first] = failures;
  if (first === undefined) return undefined;
  if (count === 1) return first;
  const alike = failures.length === count && failures.every((failure) => failure.exit === first.exit);
  return new Failure(`${failures.length} of ${plural(count, noun)} not ${verb[1]}`, {
    code: alike ? first.code : 'partial',
    exit: alike ? first.exit : EXIT.partial,
    reason: alike ? first.message : undefined,
    hint: 'The result of each is on stdout.',
  });
};

/**
 * Carries out a write over targets: all are checked before the first request, then confirmed, then sent, and a
 * result is printed for each in the order given.
 * @param options `all` and `maxChanges` as commander parsed them
 * @throws Failure when any target failed or is unknown, after all results are printed
 */
export const each = async (
  context: Context,
  work: Each,
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const most = options.maxChanges === undefined ? Number.POSITIVE_INFINITY : Number(options.maxChanges);
  if (Number.isNaN(most) || most < 0)
    throw new UsageError(`--max-changes: "${options.maxChanges}" is not a number`);
  const targets = await collect(context, work, options.all === true);
  if (targets.length > most) {
    throw new UsageError(
      `${plural(targets.length, work.noun)} would be ${work.verb[1]}, and --max-changes allows ${most}`,
    );
  }
  if (targets.length > 0) await permit(context, work, targets);
  const failures: Failure[] = [];
  const done: string[] = [];
  await context.output.results(results(sendAll(context, work, targets), failures, done));
  if (targets.length === 0) context.output.note(`no ${work.noun[1]} to ${work.verb[0]}`);
  if (context.interrupted.aborted) {
    const left = targets.length - done.length - failures.length;
    throw new Cancelled(
      `interrupted: ${done.length} ${work.verb[1]}, ${failures.length} failed, ${left} not begun`,
      EXIT.interrupted,
    );
  }
  const failure = verdict(failures, targets.length, work);
  if (failure !== undefined) throw failure;
  if (work.next !== undefined && done.length > 0 && !context.settings.dryRun.value)
    context.output.note(work.next(done));
};
