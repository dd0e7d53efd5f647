import type { ApiCall } from '../api/client.ts';
import type { RecordFacts } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Command } from '../cli/command.ts';
import type { Flag, Positional } from '../cli/flag.ts';
import type { WithBinding } from '../commands/flags.ts';
import type { ChangeWarnings } from '../decide/item.ts';
import type { Column } from '../output/list-view.ts';
import type { Run } from '../run.ts';
import type { CreationRule } from './creation.ts';
import type { Names } from './names.ts';
import type { MembershipRule, Reconciler, StateRule, UpdateProof } from './proof.ts';

/** What is true of a resource: how its records are shown, how they reveal the outcome of a write, its commands. */

export type Columns = readonly Column[] | ((names: Names, values: Values) => readonly Column[]);
type Words = readonly [imperative: string, past: string];

interface CommandWords {
  readonly examples: readonly string[];
  /** Beside those that the verb has everywhere. */
  readonly flags?: readonly Flag[];
}

/** A list of the records, or of others: `leaves policies`. */
interface ListVerb extends CommandWords {
  readonly columns: Columns;
  /** What is printed, in the plural. Default: the records. */
  readonly words?: string;
}

interface GetVerb extends CommandWords {
  /** Of the fields of the record, which are shown in its own order. */
  readonly columns: Columns;
  /** Whether these columns are all that is shown. */
  readonly only?: true;
}

interface CreateVerb extends CommandWords, CreationRule {
  /** Default: create. */
  readonly verb?: Words;
  readonly positionals?: readonly Positional[];
  /** In what a record is the like of another, in words; absent: no `--if-missing`. */
  readonly likeness?: string;
  /** The parameter that the result calls the new record by. */
  readonly target?: string;
  /** Whether two rows for the same target are a mistake in the file. */
  readonly once?: true;
  readonly columns: Columns;
  readonly remark?: (values: Values) => string | undefined;
  /** The next useful command. Default: how it is undone. */
  readonly hint?: (run: Run, record: Row, values: Values) => string;
}

interface UpdateVerb extends CommandWords {
  readonly remark?: (values: Values) => string | undefined;
  /** A value as the record will show it. Default: as it is sent. */
  readonly toShown?: (name: string, value: unknown, record: Row) => unknown;
  /** What differs from the proof of other updates. */
  readonly proof?: UpdateProof;
}

interface ArchiveVerb extends CommandWords {
  /** What `--all` means, beside the filters. */
  readonly except?: string;
  /** A filter that every request needs; it bounds `--all`. */
  readonly within?: string;
  /** Which records `--all` means. Default: those that are not archived. */
  readonly ready?: (row: Row) => boolean;
  /** Of the question. Default: the label. */
  readonly columns?: (run: Run) => readonly Column[];
  /** Where it cannot be restored: what to do in place of it. */
  readonly instead?: (run: Run) => string;
  readonly findWarnings?: (
    run: Run,
    changes: readonly { readonly call: ApiCall }[],
  ) => Promise<ChangeWarnings>;
  /** How the record shows it. Default: by `deleted_at`. */
  readonly shown?: Partial<StateRule>;
}

interface RestoreVerb extends CommandWords {
  readonly shown: Partial<StateRule>;
}

/** Gives the records something, or takes it: a viewer a project. */
interface AssignVerb extends CommandWords {
  readonly verb: Words;
  /** For the question; rows of a file have their own. */
  readonly facts: (values: Values) => readonly string[];
  readonly hint: (run: Run, targets: readonly string[], values: Values) => string;
  readonly shown: MembershipRule;
}

/** Puts members on a record, or takes them off: a request for each member. */
interface AssignMembersVerb extends CommandWords {
  readonly verb: Words;
  /** Kind of record that is picked where none is named. */
  readonly kind: 'colleague' | 'assignee';
  readonly hint: (run: Run, record: string | undefined, values: Values) => string;
  readonly shown: MembershipRule;
}

/** A write about no record that can be named. */
interface ActVerb extends CommandWords {
  readonly verb: Words;
  readonly columns: readonly Column[];
  /** What shows what became of it. Default: nothing does. */
  readonly proof?: Reconciler;
}

export type Verb =
  | ({ readonly does: 'list' } & ListVerb)
  | ({ readonly does: 'get' } & GetVerb)
  | ({ readonly does: 'create' } & CreateVerb)
  | ({ readonly does: 'update' } & UpdateVerb)
  | ({ readonly does: 'archive' } & ArchiveVerb)
  | ({ readonly does: 'restore' } & RestoreVerb)
  | ({ readonly does: 'delete' } & CommandWords)
  | ({ readonly does: 'decide' } & CommandWords)
  | ({ readonly does: 'assign' } & AssignVerb)
  | ({ readonly does: 'assign-members' } & AssignMembersVerb)
  | ({ readonly does: 'act' } & ActVerb);

/** A verb of one kind. */
export type VerbOf<Does extends string> = Verb & { readonly does: Does };

/** Of these follows what the records show of a write. A write that is none of them does not compile. */
type WriteVerb = Exclude<Verb, { readonly does: 'list' | 'get' }>;

type Table = typeof operations;
/** A verb for each operation; what fits none of a read is an ordinary command. */
type VerbsOf<Group extends keyof Table> = {
  readonly [Name in keyof Table[Group]]: Table[Group][Name] extends { readonly route: `GET ${string}` }
    ? Verb | Command
    : WriteVerb;
};

interface Definition {
  readonly record: RecordFacts;
  /** What says in a few words which record it is, for questions; its id last. */
  readonly label: readonly Column[] | ((names: Names) => readonly Column[]);
  /** Those of the list, and so of `--all`. */
  readonly filters?: readonly (Flag & WithBinding)[];
  /** The record in the words of its writes. Default: its fields by the names of the parameters that set them. */
  readonly view?: (record: Row, values: Values) => Row;
}

export interface Resource extends Omit<Definition, 'label' | 'view' | 'filters'> {
  readonly label: (names: Names) => readonly Column[];
  readonly filters: readonly (Flag & WithBinding)[];
  readonly view: (record: Row, values: Values) => Row;
  /** By its verbs, in the order of the documentation. */
  readonly operations: Readonly<Record<string, Operation>>;
  readonly verbs: Readonly<Record<string, Verb | Command>>;
}

export function defineResource<Group extends keyof Table>(
  group: Group,
  definition: Definition & { readonly verbs: VerbsOf<Group> },
): Resource {
  const { label, record, filters = [] } = definition;
  const names = Object.entries(record.shownAs ?? {});
  return {
    filters,
    view(row) {
      const renamed = names.filter(([, field]) => row[field] !== undefined);
      return { ...row, ...Object.fromEntries(renamed.map(([name, field]) => [name, row[field]])) };
    },
    ...definition,
    label: typeof label === 'function' ? label : () => label,
    operations: operations[group],
  };
}

export function resolveColumns(columns: Columns, names: Names, values: Values): readonly Column[] {
  return typeof columns === 'function' ? columns(names, values) : columns;
}
