import {
  findKindOfNoun,
  formatPersonName,
  isArchived,
  isInState,
  RESTORED,
  type RecordFacts,
} from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import {
  contract,
  expense,
  expenseCategory,
  hasLeft,
  leave,
  leavePolicy,
  member,
  project,
  task,
  timeRequest,
  timesheet,
  viewer,
  webhook,
  workspace,
} from '../api/records.ts';
import { listJobRows } from '../changes/jobs.ts';
import { openRuns } from '../changes/store.ts';
import { type CommandRecord, getParentName, isFlag } from '../cli/flag.ts';
import type { MissingInput } from '../commands/needs.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, personColumn } from '../resources/columns.ts';
import { isCommand } from '../resources/define.ts';
import { loadResource } from '../resources/load.ts';
import type { Run } from '../run.ts';

/** Which kind of record a missing value names, and the records of each kind, the likeliest first. */

/** What the records have to fit. */
export interface PickFilter {
  /** Of the command: `resume`. */
  readonly verb: string;
  readonly operation: Operation | undefined;
  /** Its other flags, by their keys. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The state that they have to be in. */
  readonly from: string | undefined;
  /** The value of another parameter or positional, by its name; asked for when it is missing and required. */
  value(name: string, required: boolean): Promise<string | undefined>;
}

interface Source {
  readonly rows: AsyncIterable<ListPage> | readonly Row[];
  readonly columns: readonly Column[];
  /** Which of them can be picked. Default: all. */
  readonly keep?: (row: Row) => boolean;
  /** By these fields, `Team 2` before `Team 10`. Default: as they come. */
  readonly order?: readonly string[];
  /** The field with what a command line calls the record. Default: its `id`. */
  readonly id?: string;
}

interface Kind {
  /** One and many, as they are said. */
  readonly words: readonly [one: string, many: string];
  readonly source: (run: Run, filter: PickFilter) => Source | Promise<Source>;
}

const ID: Column = { field: 'id', drop: 2 };
const PERSON_ORDER = ['firstname', 'lastname', 'email'];
const BY_NAME: Omit<Source, 'rows'> = { columns: [{ field: 'name' }], order: ['name'] };
const CONTRACTS: ResourceView = {
  record: contract,
  within: ['user_id', 'project_id'],
  more: ['status', 'id'],
  order: ['user_firstname', 'user_lastname', 'project_name'],
};

export const KINDS = {
  timesheet: ofResource({
    record: timesheet,
    more: ['submitted_on', 'status'],
    order: ['submitted_on', 'date_from'],
  }),
  leave: ofResource({ record: leave, more: ['note', 'status'], order: ['created_on', 'start_date'] }),
  'time-request': ofResource({
    record: timeRequest,
    more: ['notes', 'status'],
    order: ['created_at', 'start'],
  }),
  project: ofResource({ record: project, more: ['id', 'deadline'], order: ['name'] }),
  contract: ofResource(CONTRACTS),
  task: ofResource({
    record: task,
    within: ['project_id'],
    more: ['end_date', 'priority', 'id'],
    order: ['status', 'title'],
  }),
  // Only who works on the project can be put on its tasks (docs/service.md, Tasks).
  colleague: {
    words: member.words,
    source: async (run, filter) => {
      const seen = new Set<unknown>();
      const isFirst = ({ user_id: id }: Row): boolean => id != null && !seen.has(id) && seen.add(id).has(id);
      return {
        rows: (await readResource(run, filter, CONTRACTS)).rows,
        keep: (row) => fits(filter)(row) && isFirst(row),
        columns: [
          { field: 'user_firstname', show: (row) => formatPersonName(row, 'user_') },
          { field: 'user_email', drop: 1 },
          { field: 'user_role', drop: 2 },
        ],
        order: ['user_firstname', 'user_lastname'],
        id: 'user_id',
      };
    },
  },
  assignee: {
    words: member.words,
    source: async ({ api }, filter) => {
      const taskId = toText(await filter.value('task', true));
      const projectId = toNumber(await filter.value('project_id', true));
      return {
        rows: api.tasks.assignees({ taskId, project_id: projectId }).pages(),
        columns: [personColumn, { field: 'email', drop: 1 }],
        order: PERSON_ORDER,
        id: 'user_id',
      };
    },
  },
  member: ofResource({ record: member, more: ['current_role', 'status'], order: PERSON_ORDER }),
  viewer: ofResource({
    record: viewer,
    isGone: hasLeft,
    more: ['projects', 'status'],
    order: PERSON_ORDER,
  }),
  expense: ofResource({ record: expense, more: ['project'] }),
  category: {
    words: expenseCategory.words,
    source: ({ api, lists }) => ({ rows: lists.pages(api.expenses.categories({})), ...BY_NAME }),
  },
  policy: {
    words: leavePolicy.words,
    source: ({ api, lists }) => ({ rows: lists.pages(api.leaves.policies({})), ...BY_NAME }),
  },
  webhook: ofResource({ record: webhook, order: ['url'] }),
  workspace: {
    words: workspace.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.workspaces.list({})),
      columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, ID],
      order: ['workspace_name'],
    }),
  },
  profile: {
    words: ['profile', 'profiles'],
    source: ({ settingsStore }, { verb }) => {
      const { profiles } = settingsStore.read();
      const names = new Set([...Object.keys(profiles), ...(verb === 'use' ? ['sandbox'] : [])]);
      return {
        rows: [...names].map((id) => ({ id, base_url: profiles[id]?.base_url ?? null })),
        columns: [{ field: 'id' }, { field: 'base_url', drop: 1 }],
        order: ['id'],
      };
    },
  },
  received: {
    words: ['delivery', 'deliveries'],
    source: async (run, { flags: { store } }) => {
      const { listReceived } = await import('../webhooks/store.ts');
      return {
        rows: listReceived(run, store === undefined ? undefined : String(store)),
        columns: [
          { field: 'event' },
          { field: 'received_at', kind: 'age' },
          { field: 'summary', drop: 1 },
          ID,
        ],
      };
    },
  },
  sent: {
    words: ['delivery', 'deliveries'],
    source: async (run, { flags: { url } }) => {
      const { openControl } = await import('../sandbox-host/host.ts');
      const control = openControl(run, url === undefined ? undefined : String(url));
      return {
        rows: (await control.deliveries()).map((row) => ({ ...row })),
        columns: [
          { field: 'event' },
          { field: 'status', kind: 'state', drop: 3 },
          { field: 'created_at', kind: 'age' },
          ID,
        ],
      };
    },
  },
  job: {
    words: ['job', 'jobs'],
    source: (run, { verb }) => ({
      rows: sortRows(listJobRows(openRuns(run)), ['started_at']).reverse(),
      keep: (row) => verb !== 'resume' || row.state !== 'done',
      columns: [
        { field: 'id' },
        { field: 'state', kind: 'state' },
        { field: 'started_at', kind: 'age', drop: 1 },
        { field: 'command', drop: 2 },
      ],
    }),
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type PickableKind = keyof typeof KINDS;

/** `undefined`: it is no record but a value. */
export function findPickableKind(
  command: CommandRecord,
  { source, binding }: MissingInput,
): PickableKind | undefined {
  const isKind = (word: string | undefined): word is PickableKind =>
    word !== undefined && Object.hasOwn(KINDS, word);
  const { needed, name } = source;
  if (isFlag(source) || binding !== undefined || needed !== undefined) {
    const parameter = /^(contract|task)_id$/.exec(binding?.name ?? '')?.[1];
    return [binding?.lookup, parameter, needed?.kind].find(isKind);
  }
  // A noun below a noun: the webhooks of the sandbox have deliveries.
  if (command.path.split(' ').length > 2) return name === 'delivery' ? 'sent' : undefined;
  const isId = name === 'id' && command.operation !== undefined;
  return [isId ? findKindOfNoun(getParentName(command)) : name].find(isKind);
}

/** The records of a kind that match the filter, each page of their list, with how many there are so far on the screen. */
export async function readSource(run: Run, kind: PickableKind, filter: PickFilter) {
  const source: Source = await KINDS[kind].source(run, filter);
  const { columns, keep = () => true, order, id = 'id' } = source;
  const rows: Row[] = [];
  const read = async (): Promise<void> => {
    if (!(Symbol.asyncIterator in source.rows)) for (const row of source.rows) rows.push(row);
    else for await (const page of source.rows) for (const row of page.rows) rows.push(row);
  };
  await run.watch.during(() => `reading ${KINDS[kind].words[1]}: ${rows.length}`, read);
  const kept = rows.filter(keep);
  return { columns, id, rows: order === undefined ? kept : sortRows(kept, order) };
}

function sortRows(rows: readonly Row[], fields: readonly string[]): Row[] {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const keys = new Map(rows.map((row) => [row, fields.map((field) => toText(row[field])).join('  ')]));
  return [...rows].sort((one, other) => collator.compare(keys.get(one) ?? '', keys.get(other) ?? ''));
}

/** The records of a resource, in its own words. */
interface ResourceView extends Pick<Source, 'order'> {
  readonly record: RecordFacts;
  /** Fields that tell them apart, beside the words. */
  readonly more?: readonly string[];
  /** Parameters of the list that other values of the command narrow it by. */
  readonly within?: readonly string[];
  /** Default: by `deleted_at`. */
  readonly isGone?: (row: Row) => boolean;
}

function ofResource(view: ResourceView): Kind {
  return { words: view.record.words, source: (run, filter) => readResource(run, filter, view) };
}

async function readResource(run: Run, filter: PickFilter, view: ResourceView): Promise<Source> {
  const { record, more = [], within = [], order } = view;
  const resource = await loadResource(record.noun);
  const list = resource?.operations.list;
  if (list === undefined) throw new TypeError(`${record.noun} have no list`);
  const values: Record<string, unknown> = { status: record.states?.find((word) => word === filter.from) };
  for (const name of within) {
    const value = await filter.value(name, list.parameters[name]?.required === true);
    if (value !== undefined) values[name] = toNumber(value);
  }
  const verb = resource?.verbs[filter.verb];
  const archive = verb !== undefined && !isCommand(verb) && verb.does === 'archive' ? verb : undefined;
  const label = archive?.columns?.(run) ?? resource?.label(run.names) ?? [];
  const words = label.filter(({ field }) => field !== 'id');
  const others = more.filter((name) => !words.some(({ field }) => field === name));
  const columns = [...words, ...others.map((name) => createColumns(record.fields)(name))]
    // All have the same state where one is asked for.
    .filter(({ field }) => field !== 'status' || filter.from === undefined);
  return {
    rows: run.lists.pages(run.api.call(list, values)),
    columns: columns.map((column, i) => (i === 0 ? column : { ...column, drop: i })),
    keep: (row) =>
      (filter.from === undefined || isInState(record, row, filter.from)) &&
      (archive?.ready ?? fits(filter, view.isGone))(row),
    order,
  };
}

/** An archived one can only be restored or looked at; restoring is for archived ones alone. */
function fits({ operation }: PickFilter, isGone = isArchived) {
  const isRestored = operation?.moves?.to === RESTORED;
  return (row: Row): boolean =>
    (operation?.returns === 'record' && operation.method === 'GET') || isGone(row) === isRestored;
}
