import type { Row } from '../api/page.ts';
import { type CompletedChange, printChange } from '../changes/report.ts';
import type { Run } from '../run.ts';

/** What a command does that changes no record of the service: to a profile, a sign-in, files of this machine. */
interface LocalChange extends Omit<CompletedChange, 'details'> {
  /** What a person is asked before, and what else is said then; absent: nothing. */
  readonly question?: string | false;
  readonly facts?: readonly string[];
  readonly change?: () => unknown;
  readonly record: Row;
  /** Says what is to be known after the change, whether or not it was printed. */
  readonly next?: () => unknown;
}

/**
 * Asks, changes, and prints what was done; with --dry-run prints the plan alone.
 * @throws Cancelled where a person declines; OutputError where the output is lost: it says what was done
 */
export async function changeLocally(
  { output, settings, confirm }: Run,
  { question, facts = [], change, record, next, ...written }: LocalChange,
): Promise<void> {
  if (settings.dryRun.value) return output.record({ ...record, planned: true });
  if (question) await confirm({ local: true, question, facts });
  await change?.();
  await printChange({ output }, output.record(record), written, next);
}
