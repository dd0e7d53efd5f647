import type { ApiCall } from '../api/client.ts';
import type { Resource } from '../api/fields.ts';
import type { ListCall } from '../api/filter-check.ts';
import { nounOf } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { findResource } from '../api/records.ts';
import type { FindId } from '../context.ts';
import type { Column } from '../output/list-view.ts';
import type { Result } from '../output/result.ts';
import type { InputRow } from './input/file.ts';
import type { Observation, SendResult } from './send-result.ts';

/** A write as a value: made before anything is sent, and the same for one record and for a thousand. */
export interface Change {
  /** Its place in the run, from 0. */
  readonly n: number;
  /** Changes with the same key are the same write: it is sent once. */
  readonly key: string;
  /** The record, as the person wrote it; of a new one what the result calls it. */
  readonly target: string;
  /** The target in a few words, where they are known: whose it is, of when, how much. */
  readonly label?: string | undefined;
  /** What says which record it is. Default: what is said of every record of its kind. */
  readonly labelColumns?: readonly Column[] | undefined;
  /** The record as it was read before, where it was. */
  readonly before?: Row | undefined;
  /** What it sets, by the API's names. */
  readonly after: Values;
  readonly call: ApiCall;
  /** The row as `--from-file` would read it, column → text: for the file of failed rows. */
  readonly columns: Readonly<Record<string, string>>;
  /** What its record has to show still before the write: what somebody saw who agreed to it. */
  seen?: Row | undefined;
  /** Of an undo: fields that it cannot set back. */
  readonly unset?: readonly string[] | undefined;
}

/** A write that is not one of several. */
export function toSingleChange(call: ApiCall, target: string, after: Values = {}): Change {
  return { n: 0, key: target, target, after, call, columns: {} };
}

/** What a change and its decision rest on: the fields that it changes, and the resource's own. */
export const pickSeen = (operation: string, { record = {}, before = {} }: Observation): Row | undefined => {
  const { decisive = ['status'] }: Partial<Resource> = findResource(nounOf({ id: operation })) ?? {};
  const known = decisive.filter((name) => record[name] !== undefined);
  const seen = { ...Object.fromEntries(known.map((name) => [name, record[name]])), ...before };
  return Object.keys(seen).length === 0 ? undefined : seen;
};

/** What is done, imperative and past: `['approve', 'approved']`; to one and to many: `['timesheet', 'timesheets']`. */
export interface RunWords {
  readonly verb: readonly [string, string];
  readonly noun: readonly [string, string];
}

/** What a verb hands over. `V`: the values that its request carries. */
export interface Write<V = unknown> extends RunWords {
  /** Values of the flags. A row of `--from-file` has its own. */
  readonly values?: V;
  /** @param id of the record; its text during the check; `''` where a new one is made */
  readonly call: (id: string, values: V) => ApiCall;
  /** A name or e-mail address to an id, after all targets have been checked. */
  readonly resolve?: FindId | undefined;
  /** The beginning of an id to the id (find-id.ts), after all targets have been checked. */
  readonly findId?: ((target: string) => Promise<string>) | undefined;
  /** Whether a target can be no id. Default: what is no id of a named kind. */
  readonly isName?: (target: string) => boolean;
  /** Whether one target alone asks too: it destroys or decides. */
  readonly needsConfirmation?: boolean;
  /** Lines of the question, above the targets: the project meant, that there is no way back. */
  readonly facts?: readonly string[];
  readonly remark?: (values: V) => string | undefined;
}

/** A `create`, `invite`, `update`: one without a question, or a row of `--from-file` each. */
export interface WriteOne<V = unknown> extends Write<V> {
  readonly values: V;
  /** The record that is changed, as the command line calls it and as the person wrote it. Absent: a new one is made. */
  readonly record?: { readonly name: string; readonly given: string | undefined };
  /** What the result calls a new record; absent: its kind, or its row. */
  readonly target?: (values: V) => string | undefined;
  /** Whether two rows for the same target are a mistake in the file. */
  readonly once?: true;
  /** Of the record that the service answers with. Absent: the result itself is the answer. */
  readonly columns?: readonly Column[];
  /** The next useful command, for a person at a terminal, after one is done. */
  readonly hint?: (data: Row) => string;
}

export interface WriteMany<V = unknown> extends Write<V>, AfterRun {
  readonly targets: readonly string[];
  /** What `--all` means: a list, and which of its rows can be acted on. */
  readonly all?: AllMatching;
  /** The record behind an id, for the question; absent: as `all` has it. */
  readonly shown?: ShownRecord;
  /** What has to be heeded, looked up where a person reads about the changes. */
  readonly findWarnings?: ((changes: readonly Change[]) => Promise<ChangeWarnings>) | undefined;
  readonly alwaysWarns?: boolean;
}

export interface ChangeWarnings {
  /** Of each change in their order; null where it is not known whether there are any. */
  readonly warnings: readonly (readonly { readonly code: string; readonly text: string }[] | null)[];
  readonly rows: readonly (Row | undefined)[];
  /** What they are together: `38 clean, 2 over the limit`. */
  readonly summary: string;
}

export interface AfterRun {
  /** After all is done: how to take it back. */
  readonly next?: ((targets: readonly string[]) => string) | undefined;
  /** After the last row whatever became of it: what came of the whole. Given the targets that are done. */
  readonly formatSummary?: ((done: readonly string[]) => string) | undefined;
  readonly hint?: ((targets: readonly string[]) => string) | undefined;
}

interface ShownRecord {
  /** What is said of a record in the question: what names it first, its id last. */
  readonly columns: readonly Column[];
  readonly row?: (id: string) => Promise<Row | undefined>;
}

export interface AllMatching extends ShownRecord {
  /** Its filters are held against each row. */
  readonly list: () => ListCall;
  readonly ready: (row: Row) => boolean;
}

export interface Selected {
  readonly target: string;
  readonly id: string;
  readonly before?: Row | undefined;
  readonly words: readonly string[];
  readonly columns?: readonly Column[] | undefined;
}

export interface Selection {
  readonly changes: readonly Change[];
  readonly words: (change: Change) => readonly string[] | Promise<readonly string[]>;
  readonly facts: readonly string[];
  readonly noneMessage: string;
  /** The file that the rows came from. Absent: no file, or stdin. */
  readonly input?: Changes['input'];
  readonly repeatWarning?: string | undefined;
  /** By place in the run: what has become of a change already, so that it is not sent. */
  readonly knownResults?: ReadonlyMap<number, SendResult>;
}

/** A run of changes that were agreed to, of one operation or of several. */
export interface Changes extends RunWords, AfterRun {
  readonly changes: readonly Change[];
  /** The file that the rows came from, which must be the same when the run is resumed. Absent: no file, or stdin. */
  readonly input?: { readonly file: string; readonly sha256: string } | undefined;
  /** By place: what is not sent, for it is known what has become of it. */
  readonly knownResults?: ReadonlyMap<number, SendResult> | undefined;
  readonly skipMissing?: boolean;
  /** Whether a record is made only where its like is not there. */
  readonly ifMissing?: boolean;
  readonly account?: string | null;
  readonly plan?: string | undefined;
  readonly undoes?: string | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly confirmed?: boolean;
  /** When a person agreed to what was shown, in milliseconds since the epoch. Default: now, where one was asked. */
  readonly seenAt?: number;
  /** Whether the exit code of a dry run says that something would change. */
  readonly exitCode?: boolean;
  /** Of a dry run, by key: what has to be heeded. */
  readonly warnings?: ReadonlyMap<string, ResultWarnings> | undefined;
}

export type ResultWarnings = Pick<Result, 'warnings' | 'warning_messages'>;

interface ChangeOptions extends Omit<Selected, 'words' | 'columns'>, Pick<Change, 'n' | 'key' | 'label'> {
  readonly values?: Values | undefined;
  readonly row?: InputRow;
}

export const createChange = <V>(write: Write<V>, { id, row, values, ...change }: ChangeOptions): Change => {
  const { all, shown = all }: Partial<WriteMany<V>> = write;
  const after = values ?? row?.values() ?? (write.values as Values | undefined);
  return {
    ...change,
    after: after ?? {},
    call: write.call(id, after as V),
    columns: row?.columns() ?? { id: change.target },
    labelColumns: shown?.columns,
  };
};

/** Where a run writes down what it does. */
export interface RunLog {
  /**
   * The row is about to go out. Its end means that this is on the disk.
   * @param known what the proof needs from before the write, and what was seen of the record
   */
  beforeSend(
    row: Change,
    known: { readonly before: unknown; readonly observation: Observation | undefined },
  ): Promise<void>;
  logResult(n: number, sent: SendResult): Promise<void>;
}
