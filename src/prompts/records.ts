import { formatPersonName, isArchived, isInState, RESTORED, type RecordFacts } from '../api/fields.ts';
import type { ListPage, Row } from '../api/page.ts';
import {
  contract,
  expense,
  expenseCategory,
  findKindOfNoun,
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
import { type CommandRecord, type Flag, getParentName, isFlag, type Positional } from '../cli/flag.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, personColumn } from '../resources/columns.ts';
import { loadResource } from '../resources/resources.ts';
import type { Run } from '../run.ts';

/** Which kind of record a missing value names, and the records of each kind, the likeliest first. */

/** The value of another parameter or positional of the command; asked for when it is missing and required. */
export type FindOther = (name: string, required: boolean) => Promise<string | undefined>;

interface Source {
  readonly rows: AsyncIterable<ListPage> | readonly Row[];
  readonly columns: readonly Column[];
  /** Which of them can be picked. Default: all. */
  readonly keep?: (row: Row) => boolean;
  /** The field with what a command line calls the record. Default: its `id`. */
  readonly id?: string;
}

interface View {
  readonly record: RecordFacts;
  readonly more: readonly string[];
}

/** Resources: fields that tell their records apart beside the label. */
const RESOURCES = {
  timesheet: { record: timesheet, more: ['submitted_on', 'status'] },
  leave: { record: leave, more: ['note', 'status'] },
  'time-request': { record: timeRequest, more: ['notes', 'status'] },
  project: { record: project, more: ['id', 'deadline'] },
  contract: { record: contract, more: ['status', 'id'] },
  task: { record: task, more: ['end_date', 'priority', 'id'] },
  member: { record: member, more: ['current_role', 'status'] },
  viewer: { record: viewer, more: ['projects', 'status'] },
  expense: { record: expense, more: ['project'] },
  webhook: { record: webhook, more: [] },
} as const satisfies Readonly<Record<string, View>>;

const OTHERS = {
  colleague: member.words,
  assignee: member.words,
  category: expenseCategory.words,
  policy: leavePolicy.words,
  workspace: workspace.words,
  profile: ['profile', 'profiles'],
  job: ['job', 'jobs'],
} as const;

export type PickableKind = keyof typeof RESOURCES | keyof typeof OTHERS;

/** One and many, as they are said. */
export function getWords(kind: PickableKind): readonly [one: string, many: string] {
  return kind in RESOURCES
    ? RESOURCES[kind as keyof typeof RESOURCES].record.words
    : OTHERS[kind as keyof typeof OTHERS];
}

/** `undefined`: it is no record but a value. */
export function findPickableKind(
  command: CommandRecord,
  source: Flag | Positional,
): PickableKind | undefined {
  const { binding, needed, name } = source;
  const isKind = (word: string | undefined): word is PickableKind =>
    word !== undefined && (Object.hasOwn(RESOURCES, word) || Object.hasOwn(OTHERS, word));
  if (isFlag(source) || binding !== undefined || needed !== undefined) {
    const parameter = /^(contract|task)_id$/.exec(binding?.name ?? '')?.[1];
    return [binding?.lookup, parameter, needed?.kind].find(isKind);
  }
  // A noun below a noun has records of its own.
  if (command.path.split(' ').length > 2) return undefined;
  const isId = name === 'id' && command.operation !== undefined;
  return [isId ? findKindOfNoun(getParentName(command)) : name].find(isKind);
}

/** The records of a kind that can be picked, each page of their list, with how many there are so far on the screen. */
export async function readSource(run: Run, kind: PickableKind, findOther: FindOther) {
  const source = await openSource(run, kind, findOther);
  const { columns, keep = () => true, id = 'id' } = source;
  const rows: Row[] = [];
  const read = async (): Promise<void> => {
    if (!(Symbol.asyncIterator in source.rows)) for (const row of source.rows) rows.push(row);
    else for await (const page of source.rows) for (const row of page.rows) rows.push(row);
  };
  await run.watch.during(() => `reading ${getWords(kind)[1]}: ${rows.length}`, read);
  return { columns, id, rows: rows.filter(keep) };
}

async function openSource(run: Run, kind: PickableKind, findOther: FindOther): Promise<Source> {
  const { api, lists, invocation } = run;
  const verb = invocation.command.name;
  switch (kind) {
    case 'colleague': {
      // Only who works on the project can be put on its tasks (docs/service.md, Tasks).
      const { rows, keep } = await openResource(run, 'contract', findOther);
      const seen = new Set<unknown>();
      return {
        rows,
        keep: (row) => {
          const { user_id: id } = row;
          if (!keep(row) || id == null || seen.has(id)) return false;
          seen.add(id);
          return true;
        },
        columns: [
          { field: 'user_firstname', show: (row) => formatPersonName(row, 'user_') },
          { field: 'user_email', drop: 1 },
          { field: 'user_role', drop: 2 },
        ],
        id: 'user_id',
      };
    }
    case 'assignee': {
      const taskId = toText(await findOther('task', true));
      const projectId = toNumber(await findOther('project_id', true));
      return {
        rows: api.tasks.assignees({ taskId, project_id: projectId }).pages(),
        columns: [personColumn, { field: 'email', drop: 1 }],
        id: 'user_id',
      };
    }
    case 'category':
    case 'policy': {
      const call = kind === 'policy' ? api.leaves.policies({}) : api.expenses.categories({});
      return { rows: lists.pages(call), columns: [{ field: 'name' }] };
    }
    case 'workspace':
      return {
        rows: lists.pages(api.workspaces.list({})),
        columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, { field: 'id', drop: 2 }],
      };
    case 'profile': {
      const { profiles } = run.settingsStore.read();
      const names = new Set([...Object.keys(profiles), ...(verb === 'use' ? ['sandbox'] : [])]);
      return {
        rows: [...names].map((id) => ({ id, base_url: profiles[id]?.base_url ?? null })),
        columns: [{ field: 'id' }, { field: 'base_url', drop: 1 }],
      };
    }
    case 'job':
      return {
        rows: listJobRows(openRuns(run)),
        keep: (row) => verb !== 'resume' || row.state !== 'done',
        columns: [
          { field: 'id' },
          { field: 'state', kind: 'state' },
          { field: 'started_at', kind: 'age', drop: 1 },
          { field: 'command', drop: 2 },
        ],
      };
    default:
      return openResource(run, kind, findOther);
  }
}

/** The records of a resource, in its own words. */
async function openResource(run: Run, kind: keyof typeof RESOURCES, findOther: FindOther) {
  const { record, more }: View = RESOURCES[kind];
  const { name, from, operation } = run.invocation.command;
  const resource = await loadResource(record.noun);
  const list = resource?.operations.list;
  if (resource === undefined || list === undefined) throw new TypeError(`${record.noun} have no list`);
  const values: Record<string, unknown> = { status: record.states?.find((word) => word === from) };
  // Other values of the command narrow it: the tasks of which project, the contracts of whom.
  for (const parameter of ['user_id', 'project_id'].filter((one) => one in list.parameters)) {
    const value = await findOther(parameter, list.parameters[parameter]?.required === true);
    if (value !== undefined) values[parameter] = toNumber(value);
  }
  const verb = resource.verbs[name];
  const archive = verb !== undefined && !('path' in verb) && verb.does === 'archive' ? verb : undefined;
  const label = archive?.columns ?? resource.label(run.names);
  const words = label.filter(({ field }) => field !== 'id');
  const others = more.filter((field) => words.every((column) => column.field !== field));
  const columns = [...words, ...others.map((field) => createColumns(record.fields)(field))]
    // All have the same state where one is asked for.
    .filter(({ field }) => field !== 'status' || from === undefined);
  // An archived one can only be restored or looked at; restoring is for archived ones alone.
  const isGone = kind === 'viewer' ? hasLeft : isArchived;
  const isRead = operation?.returns === 'record' && operation.method === 'GET';
  const isReady =
    archive?.ready ?? ((row: Row) => isRead || isGone(row) === (operation?.moves?.to === RESTORED));
  return {
    rows: run.lists.pages(run.call(list, values)),
    columns: columns.map((column, i) => (i === 0 ? column : { ...column, drop: i })),
    keep: (row: Row) => (from === undefined || isInState(record, row, from)) && isReady(row),
  };
}
