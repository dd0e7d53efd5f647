import type { ApiCall } from '../api/client.ts';
import { isArchived, type RecordFacts } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Selection } from '../changes/change.ts';
import type { Command } from '../cli/command.ts';
import type { Flag, Positional } from '../cli/flag.ts';
import type { WithBinding } from '../commands/flags.ts';
import type { ChangeWarnings } from '../decide/item.ts';
import type { Column } from '../output/list-view.ts';
import type { Run } from '../run.ts';
import type { Names } from './names.ts';
import type { Finding, MembershipRule, SavedRate } from './proof.ts';

export type Columns = readonly Column[] | ((names: Names, values: Values) => readonly Column[]);
type Words = readonly [imperative: string, past: string];

interface CreateVerb {
  readonly does: 'create';
  /** What makes records alike (a name, an address, a title), by the names of what is sent and of what is shown. */
  readonly alike: readonly string[] | ((one: Row) => string);
  /** What tells such records apart where a list has several: their day, their project; `''` where it is not shown. */
  readonly place?: (one: Row) => string;
  /** The values without which nobody can say which record it is. Default: what makes records alike. */
  readonly told?: readonly string[];
  /** The filters of the list that has the new records of these writes; undefined when they do not tell which. */
  readonly filters?: (all: readonly Values[]) => Values | undefined;
  /** What makes records alike is all that is compared: the others may differ, and it is the same record. */
  readonly byLikeness?: true;
  /** Fields that may show something else than was sent: a rate is dropped, somebody's account has a name. */
  readonly ignored?: readonly string[];
  /** What is said of a record that was found, or was not. Default: the same. */
  readonly judgeFound?: (found: Finding, values: Values, before: unknown) => Finding;
  /** A record that is there already, as the answer to its creation would have shown it. */
  readonly toAnswer?: (record: Row) => Row;
  readonly rate?: SavedRate;
  readonly verb?: Words;
  readonly positionals?: readonly Positional[];
  /** In what a record is the like of another, in words; absent: no `--if-missing`. */
  readonly likeness?: string;
  /** The parameter that the result calls the new record by. */
  readonly target?: string;
  readonly once?: true;
  readonly columns: Columns;
}

interface ArchiveVerb {
  readonly does: 'archive';
  /** What `--all` means, beside the filters. */
  readonly except?: string;
  /** A filter that every request needs; it bounds `--all`. */
  readonly within?: string;
  /** Which records `--all` means. Default: those that are not archived. */
  readonly ready?: (row: Row) => boolean;
  readonly columns?: readonly Column[];
  readonly findWarnings?: (
    run: Run,
    changes: readonly { readonly call: ApiCall }[],
  ) => Promise<ChangeWarnings>;
  /** Why a record cannot be archived, whoever asks for it. */
  readonly refuses?: (row: Row) => string | undefined;
  /** With `--end-contracts`. */
  readonly endContracts?: (run: Run, selection: Selection) => Promise<Selection>;
}

export type Verb = {
  readonly examples: readonly string[];
  readonly flags?: readonly Flag[];
} & (
  | CreateVerb
  | ArchiveVerb
  /** A list of the records, or of others: `words` in the plural, `id` the field that has their ids. */
  | { readonly does: 'list'; readonly columns: Columns; readonly words?: string; readonly id?: string }
  /** Every field in its own order, shown as these columns say where they know it; or these columns `only`. */
  | { readonly does: 'get'; readonly columns: Columns; readonly only?: true }
  | { readonly does: 'update'; readonly rate?: SavedRate }
  | { readonly does: 'restore' | 'delete' | 'decide' }
  /** Gives the records something, or takes it: a viewer a project. */
  | {
      readonly does: 'assign';
      readonly verb: Words;
      readonly shown: MembershipRule;
    }
  /** Puts members on a record, or takes them off: a request for each. `kind` is picked where none is named. */
  | {
      readonly does: 'assign-members';
      readonly verb: Words;
      readonly kind: 'member' | 'assignee';
      readonly shown: MembershipRule;
    }
  /** A write about no record that can be named: nothing shows what became of it. */
  | { readonly does: 'act'; readonly verb: Words; readonly columns: readonly Column[] }
);

export type VerbOf<Does extends string> = Verb & { readonly does: Does };

/** Of these follows what the records show of a write. A write that is none of them does not compile. */
type WriteVerb = Exclude<Verb, { readonly does: 'list' | 'get' }>;

type Table = typeof operations;
type VerbsOf<Group extends keyof Table> = {
  readonly [Name in keyof Table[Group]]: Table[Group][Name] extends { readonly route: `GET ${string}` }
    ? Verb | Command
    : WriteVerb;
};

interface ArchivedState {
  readonly field: string;
  readonly yes: string;
  readonly no: string | null;
  /** Undefined: nobody can tell. */
  readonly test: (row: Row) => boolean | undefined;
  /** The service shows it all the same: that it has no such record tells nothing. */
  readonly stays?: true;
}

export interface Resource {
  readonly record: RecordFacts;
  /** What says in a few words which record it is, for questions; its id last. */
  readonly label: (names: Names) => readonly Column[];
  readonly filters: readonly (Flag & WithBinding)[];
  readonly archived: ArchivedState;
  /**
   * A record in the words of its writes; undefined where nobody knows. Default: its fields by the names of the
   * parameters that set them.
   */
  readonly view: (record: Row, values: Values, names?: Names) => Row;
  /** A value that is sent as the record will show it. Default: the same. */
  readonly toShown?: (name: string, value: unknown, record: Row, names?: Names) => unknown;
  /** What an update of a record changes beside what is sent: fields of the record. */
  readonly brings?: (record: Row, values: Values) => Row;
  readonly loadNames?: (values: Values, names: Names) => Promise<unknown>;
  /** By its verbs, in the order of the documentation. */
  readonly operations: Readonly<Record<string, Operation>>;
  readonly verbs: Readonly<Record<string, Verb | Command>>;
}

interface Definition
  extends Pick<Resource, 'record' | 'toShown' | 'brings' | 'loadNames'>,
    Partial<Pick<Resource, 'filters' | 'archived' | 'view'>> {
  readonly label: readonly Column[] | Resource['label'];
  /** Verbs for which the service has no operation; `get`: from the list. */
  readonly others?: Readonly<Record<string, VerbOf<'get'> | Command>>;
}

/** A soft delete. The time is that of the write. */
export const SOFT_DELETED: ArchivedState = { field: 'deleted_at', yes: 'now', no: null, test: isArchived };

export function defineResource<Group extends keyof Table>(
  group: Group,
  definition: Definition & { readonly verbs: VerbsOf<Group> },
): Resource {
  const { label, record, verbs, others } = definition;
  const renamed = Object.entries(record.shownAs ?? {});
  return {
    filters: [],
    archived: SOFT_DELETED,
    view: (row) => ({ ...row, ...Object.fromEntries(renamed.map(([name, field]) => [name, row[field]])) }),
    ...definition,
    verbs: { ...verbs, ...others },
    label: typeof label === 'function' ? label : () => label,
    operations: operations[group],
  };
}

export function resolveColumns(columns: Columns, names: Names, values: Values): readonly Column[] {
  return typeof columns === 'function' ? columns(names, values) : columns;
}
