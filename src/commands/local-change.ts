import type { Row } from '../api/page.ts';
import { type CompletedChange, printChange } from '../changes/report.ts';
import type { Column } from '../output/list-view.ts';
import type { Run } from '../run.ts';

/** What a command prints that changes no record of the service: a profile, a sign-in, the sandbox. */

/** What is printed of a change, and what is said of it where that is lost. */
interface Change extends Omit<CompletedChange, 'details'> {
  readonly record: Row;
  readonly columns?: readonly Column[];
  /** Prints it otherwise than as a record. */
  readonly print?: () => Promise<void>;
  /** Says what is to be known after the change, whether or not it was printed. */
  readonly next?: () => unknown;
}

/**
 * Prints a change of this machine or of the sandbox that is done; with --dry-run its plan.
 * @throws OutputError where the output is lost: it says what was done
 */
export async function printLocalChange(
  { output, settings }: Pick<Run, 'output' | 'settings'>,
  { record, columns, print, next, ...written }: Change,
): Promise<void> {
  if (settings.dryRun.value)
    return output.record({ ...record, planned: true }, columns && [...columns, { field: 'planned' }]);
  await printChange({ output }, print?.() ?? output.record(record, columns), written, next);
}
