import type { Api, ApiCall } from '../api/client.ts';
import type { ListCall } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { ChangeWarnings } from '../decide/item.ts';
import type { Failure } from '../errors.ts';
import type { Column } from '../output/list-view.ts';
import type { Result } from '../output/results.ts';
import type { FindId } from '../resources/names.ts';
import type { Reconciler } from '../resources/proof.ts';

/** What goes through the path that writes, from a command to a result. Types only. */

/** A write as a value: made before anything is sent, and the same for one record and for a thousand. */
export interface Change {
  readonly n: number;
  /** Changes with the same key are the same write: it is sent once. */
  readonly key: string;
  /** The record, as the person wrote it; of a new one what the result calls it. */
  readonly target: string;
  readonly label?: string | undefined;
  /** What says which record it is. Default: what is said of every record of its kind. */
  readonly labelColumns?: readonly Column[] | undefined;
  /** The record as it was read before, where it was. */
  readonly before?: Row | undefined;
  readonly after: Values;
  readonly call: ApiCall;
  /** The row as `--from-file` would read it, column → text: for the file of failed rows. */
  readonly columns: Readonly<Record<string, string>>;
  /** What its record has to show still before the write: what somebody saw who agreed to it. */
  seen?: Row | undefined;
  readonly unset?: readonly string[] | undefined;
  /** The key of the change without which this one is not sent. */
  readonly needs?: string | undefined;
}

export type SentChange = Pick<Change, 'call' | 'target'>;

/** What is done, imperative and past: `['approve', 'approved']`; to one and to many: `['timesheet', 'timesheets']`. */
export interface RunWords {
  readonly verb: readonly [string, string];
  readonly noun: readonly [string, string];
  /** How to take back what is done, and what to do next; given are its targets. */
  readonly next?: ((targets: readonly string[]) => string) | undefined;
  readonly hint?: ((targets: readonly string[]) => string | undefined) | undefined;
  readonly formatSummary?: ((done: readonly string[]) => string) | undefined;
}

/** What a command hands over: which records are meant, what is sent for each, and what people are told of it. */
export interface Write extends RunWords {
  /** Records as the person named them. Absent: one record, which is printed by itself. */
  readonly targets?: readonly string[];
  /** That record where it is changed, as the command line calls it and as the person wrote it. Absent: a new one is made. */
  readonly record?: { readonly name: string; readonly given: string | undefined };
  readonly values?: Values;
  /** @param id of the record; its text during the check; `''` where a new one is made */
  readonly call: (id: string, values: Values) => ApiCall;
  /** A name or e-mail address, or the beginning of an id, to the id, after all targets have been checked. */
  readonly resolve?: FindId | undefined;
  readonly findId?: ((target: string) => Promise<string>) | undefined;
  /** Whether a target can be no id. Default: what is no id of a named kind. */
  readonly isName?: (target: string) => boolean;
  readonly needsConfirmation?: boolean;
  /** That nothing takes it back, where that is so: said before. */
  readonly final?: string | undefined;
  readonly facts?: readonly string[];
  readonly all?: AllMatching;
  /** The record behind an id, for the question; absent: as `all` has it. */
  readonly shown?: Pick<AllMatching, 'columns' | 'row'>;
  /** What has to be heeded, looked up where a person reads about the changes. */
  readonly findWarnings?: ((changes: readonly Change[]) => Promise<ChangeWarnings>) | undefined;
  readonly alwaysWarns?: boolean;
  /** What else the run changes, after what is meant. @throws UsageError where that must stay as it is */
  readonly extend?: ((selection: Selection) => Promise<Selection>) | undefined;
  /** What the result calls a new record; absent: its kind, or its row. */
  readonly target?: (values: Values) => string | undefined;
  /** Whether two rows for the same target are a mistake in the file. */
  readonly once?: true;
  /** Of a new record, which the service answers with. Absent: the result itself is the answer. */
  readonly columns?: readonly Column[];
  readonly recordHint?: (record: Row) => string;
}

export interface AllMatching {
  /** What is said of a record in the question: what names it first, its id last. */
  readonly columns: readonly Column[];
  readonly row?: (id: string) => Promise<Row | undefined>;
  readonly list: () => ListCall;
  readonly ready: (row: Row) => boolean;
}

/** The changes that a command line means, and how a question tells of them. */
export interface Selection extends Pick<Changes, 'changes' | 'input' | 'knownResults'> {
  readonly words: (change: Change) => readonly string[] | Promise<readonly string[]>;
  readonly facts: readonly string[];
  readonly noneMessage: string;
  /** How many of which, where they are of two kinds: `1 member and 3 contracts`. */
  readonly what?: string;
}

/** A run of changes that were agreed to, of one operation or of several. */
export interface Changes extends RunWords {
  readonly changes: readonly Change[];
  readonly single?: Pick<Write, 'record' | 'columns' | 'recordHint'> | undefined;
  /** The file that the rows came from, which must be the same when the run is resumed. Absent: no file, or stdin. */
  readonly input?: { readonly file: string; readonly sha256: string } | undefined;
  /** By place: what is not sent, for it is known what has become of it. */
  readonly knownResults?: ReadonlyMap<number, SendResult> | undefined;
  readonly skipMissing?: boolean;
  readonly ifMissing?: boolean | undefined;
  readonly account?: string | null;
  /** Checksum of the plan that is applied, and whether once more. */
  readonly plan?: string | undefined;
  readonly again?: boolean | undefined;
  readonly undoes?: string | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly confirmed?: boolean;
  /** When a person agreed to what was shown, in milliseconds since the epoch. Default: now, where one was asked. */
  readonly seenAt?: number;
  readonly exitCode?: boolean;
  /** Of a dry run, by key: what has to be heeded. */
  readonly warnings?: ReadonlyMap<string, Pick<Result, 'warnings' | 'warning_messages'>> | undefined;
}

export interface Observation {
  /** The record, or whom it is about; undefined where it could not be read. */
  readonly record?: Row;
  /** The fields that the write changes, by their names in the record. */
  readonly before?: Row;
  readonly after?: Row | null;
  /** The values that would set it back, by the names of the operation's parameters. */
  readonly old?: Values;
  readonly unchanged?: boolean;
  readonly problem?: string;
  readonly cause?: Failure;
}

export interface Reconciliation {
  readonly api: Api;
  readonly call: ApiCall;
  /** Absent: no record shows it. */
  readonly reconciler: Reconciler | undefined;
}

/** What became of a change: its result, and what the run has to know beside what is printed of it (`toResult`). */
export interface SendResult extends Result {
  readonly observation?: Observation | undefined;
  readonly failure?: Failure | undefined;
  readonly answered?: number | undefined;
  /** Not begun, because the whole run ended: people are told so once, by the end of the run. */
  readonly unbegun?: true;
  readonly lostAnswer?: Failure;
  readonly open?: Open;
  /** When the answer of one that is unknown was lost: milliseconds since the epoch. */
  readonly lostAt?: number;
  readonly requestId?: string | undefined;
}

/** What an answer left open: whether its rate was saved; of a lost one what became of the write. */
export interface Open extends Reconciliation {
  readonly lost?: {
    readonly failure: Failure;
    /** What `readBefore` gave before it was sent. */
    readonly before: unknown;
    /** When the answer was lost; after a kill, when it was sent. Milliseconds since the epoch. */
    readonly lostAt: number;
  };
}

export type OpenResult = SendResult & { readonly open: Open };
