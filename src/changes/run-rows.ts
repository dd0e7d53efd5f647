import type { Call } from '../api/client.ts';
import type { Context } from '../context.ts';
import { createBrake } from './brake.ts';
import type { CarryOut } from './carry-out.ts';
import type { NumberedRow } from './send-rows.ts';
import type { Words } from './tally.ts';

/** A run over rows: each sent once, several on their way at once, a result for each in the order given. */

export interface WorkRow {
  /** As the person wrote it. */
  readonly target: string;
  /** Rows with the same key are the same write: it is sent once. */
  readonly key: string;
  readonly call: Call;
  /** The row as `--from-file` would read it, column → text: for the file of failed rows. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface Work extends Words {
  readonly rows: readonly WorkRow[];
  /** The file that the rows came from, which must be the same when the run is resumed. Absent: no file, or stdin. */
  readonly input?: { readonly file: string; readonly sha256: string };
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly asked?: boolean;
  /** For people, after all is done: how to take it back. */
  readonly next?: (targets: readonly string[]) => string;
  /** For people, after the last row whatever became of it: what came of the whole. Given the targets that are done. */
  readonly told?: (done: readonly string[]) => string;
  /** The next useful command, for a person at a terminal. */
  readonly hint?: (targets: readonly string[]) => string;
  /** A target in a few words, where they are known. */
  readonly about?: (target: string) => string | undefined;
}

/** Its call is made when it is asked for. A class: of many each takes little. */
class Numbered implements NumberedRow {
  readonly n: number;
  readonly #row: WorkRow;

  constructor(row: WorkRow, n: number) {
    this.n = n;
    this.#row = row;
  }

  get target(): string {
    return this.#row.target;
  }

  get key(): string {
    return this.#row.key;
  }

  get call(): Call {
    return this.#row.call;
  }
}

/** Whether a run is written down: it writes, and more than one row (docs/requirements.md, CLI-5). */
const isJob = async ({ settings, jobs }: Context, count: number): Promise<boolean> =>
  count > 1 && !settings.dryRun.value && (await jobs()).wanted;

/**
 * Sends the rows, which have been checked and confirmed, and prints a result for each in the order given. A run of
 * more than one row is a job: it can be gone on with after whatever ends it.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   UsageError where a job's place cannot be written
 */
export const runRows = async (context: Context, work: Work): Promise<void> => {
  const rows = work.rows.map((row, n) => new Numbered(row, n));
  const count = new Set(work.rows.map(({ key }) => key)).size;
  const brake = createBrake();
  const { asked, next, told, hint, about } = work;
  const run: CarryOut = { words: work, count, brake, asked, next, told, hint, about };
  if (await isJob(context, count)) {
    const { runJob } = await import('./job/run.ts');
    return runJob(context, work, { ...run, rows });
  }
  // Loaded here: help and reads of the same noun need none of it.
  const [{ carryOut }, { lookLine }, { sendRows }] = await Promise.all([
    import('./carry-out.ts'),
    import('./doubt.ts'),
    import('./send-rows.ts'),
  ]);
  const [first] = rows;
  const look = first === undefined || count > 1 ? undefined : lookLine(first.call, first.target);
  await carryOut(context, { ...run, look, results: sendRows(context, rows, { brake }) });
};
