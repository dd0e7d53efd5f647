import type { ApiCall } from '../api/client.ts';
import { formatPersonName, isArchived, userOf } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { TASK_STATUS } from '../api/records.ts';
import type { Change, Selection } from '../changes/change.ts';
import { toNumber, toText } from '../json.ts';
import { formatBriefDays } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import {
  type ChangeWarnings,
  formatCount,
  formatKind,
  getState,
  INBOX_KINDS,
  type InboxItem,
  toInboxItem,
} from './item.ts';
import { listInState, loadInbox, readLists } from './load.ts';

const ENDED: ReadonlySet<string> = new Set([TASK_STATUS.done, TASK_STATUS.closed].map(toText));

const STATES = { waiting: 'waiting for a decision', open: 'not submitted', rejected: 'rejected' } as const;
const CODES = [...Object.keys(STATES), 'contract', 'task'];

/** @returns what each has open, a line each; tasks of projects that one of them has a contract in */
export async function findOpenItems(
  run: Run,
  changes: readonly { readonly call: ApiCall }[],
): Promise<ChangeWarnings> {
  const ends = run.invocation.options.endContracts === true;
  const ids = changes.map(({ call }) => toText(call.values.memberId ?? ''));
  const read = () => readOpenItems(run, ids.filter(Boolean));
  const { items, contracts, tasks, unread } = await run.watch.during(() => 'reading what is open', read);
  const found = [
    ...items.map(({ code, item: { userId, kind, from, to, id } }) => {
      const days = from === null ? '' : ` ${formatBriefDays([from, to ?? from], run.clock.now(), '–')}`;
      return { code, of: [userId], text: `${formatKind(kind)}${days} is ${STATES[code]} (${id})` };
    }),
    // Those that end are changes of their own.
    ...(ends ? [] : contracts).map(({ user_id: of, project_name: name, project_id: project, id }) => {
      return {
        code: 'contract',
        of: [of],
        text: `contract on ${toText(name ?? project ?? 'no project')} (${toText(id)})`,
      };
    }),
    ...tasks.map(({ assignees, title, id }) => {
      const of = Array.isArray(assignees) ? (assignees as readonly unknown[]) : [];
      return { code: 'task', of: of.map(userOf), text: `task ${toText(title)} (${toText(id)})` };
    }),
  ];
  const warnings = ids.map((id) =>
    found.filter(({ of }) => of.some((one) => one != null && toText(one) === id)),
  );
  const counts = CODES.flatMap((code) => {
    const count = warnings.flat().filter((one) => one.code === code).length;
    const words = STATES[code as keyof typeof STATES];
    return count === 0 ? [] : words === undefined ? formatCount(count, code) : `${count} ${words}`;
  });
  const stays = counts.length > 0 ? 'none of this changes' : `nothing ${ends ? 'else ' : ''}is open`;
  const hasContracts = warnings.flat().some(({ code }) => code === 'contract');
  const way = hasContracts ? ' (--end-contracts archives the contracts too)' : '';
  const lasting = ends && contracts.length > 0 ? ['the API cannot restore archived contracts'] : [];
  const summary = [...(counts.length > 0 ? [counts.join(', ')] : []), stays + way, ...lasting, ...unread];
  return { warnings, rows: ids.map(() => undefined), summary: summary.join('; ') };
}

async function readOpenItems(run: Run, people: readonly string[]) {
  const { api } = run;
  const userIds = people.map((id) => toNumber(id) as number);
  const inbox = await loadInbox(run, { kinds: INBOX_KINDS, userIds });
  const listOf = (state: 'open' | 'rejected') => {
    return { noun: `timesheets ${STATES[state]}`, calls: [listInState(api, 'timesheet', state, {})] };
  };
  const { rows, unread } = await readLists(run, {
    open: listOf('open'),
    rejected: listOf('rejected'),
    contracts: { noun: 'contracts and tasks', calls: [listContracts(run, people)] },
  });
  const sheetsIn = (code: 'open' | 'rejected') =>
    (rows[code] ?? [])
      .filter((row) => getState('timesheet', row) === code)
      .map((row) => ({ code, item: toInboxItem('timesheet', row) }));
  const waiting = inbox.items.map((item): { code: keyof typeof STATES; item: InboxItem } => {
    return { code: 'waiting', item };
  });
  const contracts = pickCurrent(rows.contracts ?? [], people);
  const ofProjects = contracts.flatMap(({ project_id: id, project_name: name }) => {
    if (id == null) return [];
    const calls = [api.tasks.list({ project_id: toNumber(id) })];
    return [[toText(id), { noun: `tasks of ${toText(name ?? id)}`, calls }] as const];
  });
  const tasks = await readLists(run, Object.fromEntries(ofProjects));
  return {
    items: [...waiting, ...sheetsIn('open'), ...sheetsIn('rejected')],
    contracts,
    tasks: Object.values(tasks.rows)
      .flatMap((list = []) => list)
      .filter((row) => !isArchived(row) && !ENDED.has(toText(row.status))),
    unread: [
      ...[...inbox.missing, ...unread, ...tasks.unread].map(({ noun }) => `could not be read: ${noun}`),
      ...inbox.oddStates,
    ],
  };
}

function listContracts({ api }: Run, people: readonly string[]): ApiCall {
  return api.contracts.list(people.length === 1 ? { user_id: toNumber(people[0]) } : {});
}

/** Of these people, those that are not archived. */
function pickCurrent(contracts: readonly Row[], people: readonly string[]): readonly Row[] {
  return contracts.filter((row) => people.includes(toText(row.user_id)) && !isArchived(row));
}

/** With the contracts of the members, each after its member: it cannot be restored, and they can. */
export async function endContracts(
  run: Run,
  { changes, knownResults, ...more }: Selection,
): Promise<Selection> {
  const members = changes.filter(({ n }) => knownResults?.has(n) !== true);
  const keys = new Map(members.map(({ call, key }) => [toText(call.values.memberId), key]));
  const people = [...keys.keys()];
  const rows = keys.size === 0 ? [] : await run.lists.rows(listContracts(run, people));
  const contracts = pickCurrent(rows, people).map((before, i): Change => {
    const target = toText(before.id);
    const call = run.api.contracts.archive({ contractId: target });
    const project = `on ${toText(before.project_name ?? before.project_id ?? 'no project')}`;
    return {
      ...{ n: changes.length + i, key: `contract ${target}`, target, before, after: {}, call },
      label: `${formatPersonName(before, 'user_') ?? toText(before.user_id)}  ${project}`,
      columns: { operation: call.operation.id, id: target },
      needs: keys.get(toText(before.user_id)),
    };
  });
  const words = (change: Change) =>
    change.needs === undefined
      ? more.words(change)
      : // Below the member: name, address, status, invitation, id.
        [...(change.label ?? '').split('  '), '', '', change.target];
  const ending = contracts.length === 0 ? '' : ` and ${formatCount(contracts.length, 'contract')}`;
  const what = formatCount(keys.size, 'member') + ending;
  return { ...more, knownResults, changes: [...changes, ...contracts], words, what };
}
