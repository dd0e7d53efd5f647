import {
  ARCHIVED,
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
  expense,
  expenseCategory,
  hasLeft,
  isOfferedToArchive,
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
import {
  createColumns,
  createInvitedColumn,
  createNameColumn,
  createPeriodColumn,
} from '../resources/columns.ts';
import { daysColumn } from '../resources/leaves.ts';
import { requestedHoursColumn } from '../resources/time-requests.ts';
import { trackedHoursColumn } from '../resources/timesheets.ts';
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

const ofProject = createColumns(project.fields);
const ofTask = createColumns(task.fields);
const ofExpense = createColumns(expense.fields);
const stateColumn: Column = { field: 'status', kind: 'state', drop: 3 };
const idColumn: Column = { field: 'id', drop: 1 };
const createPersonColumn = (prefix = ''): Column => ({
  field: `${prefix}firstname`,
  title: 'name',
  show: (row) => formatPersonName(row, prefix),
});

export const KINDS = {
  timesheet: {
    words: timesheet.words,
    source: ({ api, lists, names }, filter) => ({
      rows: lists.pages(api.timesheets.list({ status: findState(timesheet, filter) })),
      keep: isInStateOf(timesheet, filter),
      columns: [
        createNameColumn(names.member, 'user_id', 'member'),
        createPeriodColumn('date_from', 'date_to'),
        { ...trackedHoursColumn, drop: 1 },
        { field: 'submitted_on', kind: 'age', drop: 2 },
        ...(filter.from === undefined ? [stateColumn] : []),
      ],
      order: ['submitted_on', 'date_from'],
    }),
  },
  leave: {
    words: leave.words,
    source: ({ api, lists, names }, filter) => ({
      rows: lists.pages(api.leaves.list({ status: findState(leave, filter) })),
      keep: isInStateOf(leave, filter),
      columns: [
        createNameColumn(names.member, 'user_id', 'member'),
        createPeriodColumn('start_date', 'end_date'),
        { ...daysColumn, drop: 1 },
        createNameColumn(names.policy, 'policy_id', 'policy', { drop: 2 }),
        { field: 'note', drop: 3 },
      ],
      order: ['created_on', 'start_date'],
    }),
  },
  'time-request': {
    words: timeRequest.words,
    source: ({ api, lists, names }, filter) => ({
      rows: lists.pages(api.timeRequests.list({ status: findState(timeRequest, filter) })),
      keep: isInStateOf(timeRequest, filter),
      columns: [
        createNameColumn(names.member, 'user_id', 'member'),
        { field: 'start', kind: 'time' },
        { ...requestedHoursColumn, drop: 1 },
        createNameColumn(names.project, 'project_id', 'project', { drop: 2 }),
        { field: 'notes', drop: 3 },
        ...(filter.from === undefined ? [stateColumn] : []),
      ],
      order: ['created_at', 'start'],
    }),
  },
  project: {
    words: project.words,
    source: ({ api, lists }, filter) => ({
      rows: lists.pages(api.projects.list({})),
      keep: fits(filter),
      columns: [ofProject('name'), idColumn, ofProject('deadline', { drop: 2 })],
      order: ['name'],
    }),
  },
  contract: {
    words: ['contract', 'contracts'],
    source: async (context, filter) => ({
      rows: await listContracts(context, filter),
      keep: fits(filter),
      columns: [
        { field: 'project_name', show: (row) => row.project_name ?? row.project_id },
        { field: 'user_firstname', show: (row) => formatPersonName(row, 'user_') ?? row.user_id },
        idColumn,
        stateColumn,
      ],
      order: ['project_name', 'user_firstname', 'user_lastname'],
    }),
  },
  task: {
    words: task.words,
    source: async ({ api, lists }, filter) => ({
      rows: lists.pages(api.tasks.list({ project_id: toNumber(await filter.value('project_id', true)) })),
      keep: fits(filter),
      columns: [
        { field: 'title' },
        ofTask('status'),
        ofTask('priority', { drop: 2 }),
        ofTask('end_date', { drop: 1 }),
        { ...idColumn, drop: 3 },
      ],
      order: ['status', 'title'],
    }),
  },
  // Only who works on the project can be put on its tasks (docs/service.md, Tasks).
  colleague: {
    words: member.words,
    source: async (context, filter) => {
      const seen = new Set<unknown>();
      const isFirst = ({ user_id: id }: Row): boolean => id != null && !seen.has(id) && seen.add(id).has(id);
      return {
        rows: await listContracts(context, filter),
        keep: (row) => fits(filter)(row) && isFirst(row),
        columns: [
          createPersonColumn('user_'),
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
        columns: [createPersonColumn(), { field: 'email', drop: 1 }],
        order: ['firstname', 'lastname'],
        id: 'user_id',
      };
    },
  },
  member: {
    words: member.words,
    source: ({ api, lists, clock }, filter) => ({
      rows: lists.pages(api.members.list({})),
      keep: archives(filter) ? isOfferedToArchive : fits(filter),
      columns: [
        createPersonColumn(),
        { field: 'email', drop: 2 },
        { field: 'current_role', drop: 1 },
        stateColumn,
        ...(archives(filter) ? [{ ...createInvitedColumn(clock.now()), drop: 4 }] : []),
      ],
      order: ['firstname', 'lastname', 'email'],
    }),
  },
  viewer: {
    words: viewer.words,
    source: ({ api, lists }, filter) => ({
      rows: lists.pages(api.viewers.list({})),
      keep: fits(filter, hasLeft),
      columns: [
        createPersonColumn(),
        { field: 'email', drop: 2 },
        { field: 'projects', kind: 'list', drop: 1 },
        stateColumn,
      ],
      order: ['firstname', 'lastname', 'email'],
    }),
  },
  expense: {
    words: expense.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.expenses.list({})),
      columns: [
        ofExpense('expense_name'),
        ofExpense('expense_date'),
        ofExpense('amount'),
        ofExpense('member', { drop: 1 }),
        ofExpense('project', { drop: 2 }),
      ],
    }),
  },
  category: {
    words: expenseCategory.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.expenses.categories({})),
      columns: [{ field: 'name' }],
      order: ['name'],
    }),
  },
  policy: {
    words: leavePolicy.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.leaves.policies({})),
      columns: [{ field: 'name' }],
      order: ['name'],
    }),
  },
  webhook: {
    words: webhook.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.webhooks.list({})),
      columns: [{ field: 'url' }, { field: 'events', kind: 'list', drop: 1 }],
      order: ['url'],
    }),
  },
  workspace: {
    words: workspace.words,
    source: ({ api, lists }) => ({
      rows: lists.pages(api.workspaces.list({})),
      columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, { ...idColumn, drop: 2 }],
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
    source: async (context, { flags: { store } }) => {
      const { listReceived } = await import('../webhooks/store.ts');
      return {
        rows: listReceived(context, store === undefined ? undefined : String(store)),
        columns: [
          { field: 'event' },
          { field: 'received_at', kind: 'age' },
          { field: 'summary', drop: 1 },
          { ...idColumn, drop: 2 },
        ],
      };
    },
  },
  sent: {
    words: ['delivery', 'deliveries'],
    source: async (context, { flags: { url } }) => {
      const { openControl } = await import('../sandbox-host/host.ts');
      const control = openControl(context, url === undefined ? undefined : String(url));
      return {
        rows: (await control.deliveries()).map((row) => ({ ...row })),
        columns: [
          { field: 'event' },
          stateColumn,
          { field: 'created_at', kind: 'age' },
          { ...idColumn, drop: 2 },
        ],
      };
    },
  },
  job: {
    words: ['job', 'jobs'],
    source: async (context, { verb }) => ({
      rows: sortRows(listJobRows(openRuns(context)), ['started_at']).reverse(),
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

/** An archived one can only be restored or looked at; restoring is for archived ones alone. */
function fits({ operation }: PickFilter, isGone: (row: Row) => boolean = isArchived) {
  const isRestored = operation?.moves?.to === RESTORED;
  return (row: Row): boolean =>
    (operation?.returns === 'record' && operation.method === 'GET') || isGone(row) === isRestored;
}

function archives({ operation }: PickFilter): boolean {
  return operation?.moves?.to === ARCHIVED;
}

function findState<State extends string>(
  { states = [] }: RecordFacts<State>,
  { from }: PickFilter,
): State | undefined {
  return states.find((word) => word === from);
}

function isInStateOf(resource: RecordFacts, { from }: PickFilter) {
  return (row: Row): boolean => from === undefined || isInState(resource, row, from);
}

async function listContracts({ api, lists }: Run, filter: PickFilter): Promise<AsyncIterable<ListPage>> {
  const [user, of] = [await filter.value('user_id', false), await filter.value('project_id', false)];
  const list = api.contracts.list({
    ...(user === undefined ? {} : { user_id: toNumber(user) }),
    ...(of === undefined ? {} : { project_id: toNumber(of) }),
  });
  return lists.pages(list);
}
