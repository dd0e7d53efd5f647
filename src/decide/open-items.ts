import type { ApiCall } from '../api/client.ts';
import { isArchived } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { contract, TASK_STATUS, task } from '../api/records.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import { formatBriefDays } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { type ChangeWarnings, INBOX_KINDS, type InboxItem } from './item.ts';
import { loadInbox } from './load.ts';
import { formatCount } from './text.ts';

/** What somebody who leaves has open: requests that wait, contracts, tasks. Shown alone: nothing is decided by it. */

interface OpenItems {
  readonly waiting: readonly InboxItem[];
  readonly contracts: readonly Row[];
  readonly tasks: readonly Row[];
}

const ENDED: ReadonlySet<string> = new Set([TASK_STATUS.done, TASK_STATUS.closed].map(toText));

/** @returns what each has open, a line each */
export async function findOpenItems(
  run: Run,
  changes: readonly { readonly call: ApiCall }[],
): Promise<ChangeWarnings> {
  const ids = changes.map(({ call }) => toText(call.values['memberId']));
  const { of, unread, oddStates } = await run.watch.during(
    () => 'reading what is open',
    () => readOpenItems(run, ids),
  );
  const items = ids.map(of);
  const count = (name: keyof OpenItems): number => items.reduce((sum, one) => sum + one[name].length, 0);
  const counts = [
    `${count('waiting')} waiting for a decision`,
    formatCount(count('contracts'), contract.words[0]),
    formatCount(count('tasks'), task.words[0]),
  ].join(', ');
  return {
    warnings: items.map((one) => describeItems(run, one)),
    rows: items.map(() => undefined),
    summary: [
      counts,
      ...(unread.length === 0 ? [] : [`could not be read: ${unread.join(', ')}`]),
      ...oddStates,
    ].join('; '),
  };
}

/** Tasks are read of projects that one of them has a contract in. */
async function readOpenItems(run: Run, ids: readonly string[]) {
  const { api, lists } = run;
  const inbox = await loadInbox(run, {
    kinds: INBOX_KINDS,
    userIds: ids.map((id) => toNumber(id) as number),
  });
  const all = await lists.rows(api.contracts.list(ids.length === 1 ? { user_id: toNumber(ids[0]) } : {}));
  const contracts = all.filter((row) => ids.includes(toText(row['user_id'])) && !isArchived(row));
  const projects = [...new Set(contracts.map((row) => toText(row['project_id'])))];
  const ofProjects = await Promise.all(
    projects.map((id) => lists.rows(api.tasks.list({ project_id: toNumber(id) }))),
  );
  const tasks = ofProjects.flat().filter((row) => !isArchived(row) && !ENDED.has(toText(row['status'])));
  const of = (id: string): OpenItems => ({
    waiting: inbox.items.filter(({ userId }) => toText(userId) === id),
    contracts: contracts.filter((row) => toText(row['user_id']) === id),
    tasks: tasks.filter((row) => isAssigned(row, id)),
  });
  return { of, unread: inbox.missing.map(({ noun }) => noun), oddStates: inbox.oddStates };
}

function isAssigned({ assignees }: Row, id: string): boolean {
  return (
    Array.isArray(assignees) &&
    assignees.some((item) => toText(isRecord(item) ? (item['user_id'] ?? item['id']) : item) === id)
  );
}

function describeItems(
  run: Run,
  { waiting, contracts, tasks }: OpenItems,
): NonNullable<ChangeWarnings['warnings'][number]> {
  return [
    ...waiting.map((item) => ({ code: 'waiting', text: describeWaiting(run, item) })),
    ...contracts.map(({ project_name: name, project_id: project, id }) => ({
      code: 'contract',
      text: `contract on ${toText(name ?? project)} (${toText(id)})`,
    })),
    ...tasks.map(({ title, id }) => ({ code: 'task', text: `task ${toText(title)} (${toText(id)})` })),
  ];
}

function describeWaiting({ clock }: Run, { kind, from, to, id }: InboxItem): string {
  const days = from === null ? '' : ` ${formatBriefDays([from, to ?? from], clock.now(), '–')}`;
  return `${kind.replace('-', ' ')}${days} is waiting for a decision (${id})`;
}
