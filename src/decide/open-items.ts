import type { ApiCall } from '../api/client.ts';
import { isArchived } from '../api/fields.ts';
import { contract, TASK_STATUS, task } from '../api/records.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import { formatBriefDays } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { type ChangeWarnings, formatCount, INBOX_KINDS } from './item.ts';
import { loadInbox } from './load.ts';

const ENDED: ReadonlySet<string> = new Set([TASK_STATUS.done, TASK_STATUS.closed].map(toText));

/** @returns what each has open, a line each; tasks of projects that one of them has a contract in */
export async function findOpenItems(
  run: Run,
  changes: readonly { readonly call: ApiCall }[],
): Promise<ChangeWarnings> {
  const { api, lists, clock } = run;
  const ids = changes.map(({ call }) => toText(call.values.memberId));
  const read = async () => {
    const userIds = ids.map((id) => toNumber(id) as number);
    const inbox = await loadInbox(run, { kinds: INBOX_KINDS, userIds });
    const all = await lists.rows(api.contracts.list(ids.length === 1 ? { user_id: toNumber(ids[0]) } : {}));
    const contracts = all.filter((row) => ids.includes(toText(row.user_id)) && !isArchived(row));
    const projects = [...new Set(contracts.map((row) => toText(row.project_id)))];
    const ofProjects = await Promise.all(
      projects.map((id) => lists.rows(api.tasks.list({ project_id: toNumber(id) }))),
    );
    const tasks = ofProjects.flat().filter((row) => !isArchived(row) && !ENDED.has(toText(row.status)));
    return { inbox, contracts, tasks };
  };
  const { inbox, contracts, tasks } = await run.watch.during(() => 'reading what is open', read);
  const { items, missing, oddStates } = inbox;
  const warnings = ids.map((id) => [
    ...items
      .filter(({ userId }) => toText(userId) === id)
      .map(({ kind, from, to, id: own }) => {
        const days = from === null ? '' : ` ${formatBriefDays([from, to ?? from], clock.now(), '–')}`;
        const text = `${kind.replace('-', ' ')}${days} is waiting for a decision (${own})`;
        return { code: 'waiting', text };
      }),
    ...contracts
      .filter((row) => toText(row.user_id) === id)
      .map(({ project_name: name, project_id: project, id: own }) => {
        return { code: 'contract', text: `contract on ${toText(name ?? project)} (${toText(own)})` };
      }),
    ...tasks
      .filter(({ assignees: all }) => {
        const ofTask: readonly unknown[] = Array.isArray(all) ? all : [];
        return ofTask.some((one) => toText(isRecord(one) ? (one.user_id ?? one.id) : one) === id);
      })
      .map(({ title, id: own }) => ({ code: 'task', text: `task ${toText(title)} (${toText(own)})` })),
  ]);
  const count = (code: string): number => warnings.flat().filter((one) => one.code === code).length;
  const counts = [
    `${count('waiting')} waiting for a decision`,
    formatCount(count('contract'), contract.words[0]),
    formatCount(count('task'), task.words[0]),
  ];
  const unread = missing.map(({ noun }) => `could not be read: ${noun}`);
  const summary = [counts.join(', '), ...unread, ...oddStates].join('; ');
  return { warnings, rows: ids.map(() => undefined), summary };
}
