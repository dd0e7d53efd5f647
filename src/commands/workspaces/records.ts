import type { Row } from '../../api/page.ts';
import { runOrderedPool } from '../../changes/ordered-pool.ts';
import type { Context } from '../../context.ts';
import { toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { PROJECT_VIEWER } from '../../resources/member.ts';
import { isArchived } from '../../resources/resource.ts';
import { hasLeft } from '../../resources/viewer.ts';

/** The records of a workspace that its folder has. */

export const FOLDER_NOUNS = ['projects', 'members', 'viewers', 'contracts', 'tasks', 'webhooks'] as const;
export type FolderNoun = (typeof FOLDER_NOUNS)[number];
/** Those that others refer to by name. */
export type NamedNoun = Extract<FolderNoun, 'projects' | 'members'>;

export interface WorkspaceRecords extends Readonly<Record<FolderNoun, readonly Row[]>> {
  /** Of members and viewers: those that are archived. */
  readonly archived: readonly Row[];
}

/** Projects whose tasks are read at once. */
const WIDTH = 8;

/** A list is of one project, so that its rows need not say which. */
const readTasks = async (context: Context, projects: readonly Row[]): Promise<readonly Row[]> => {
  const { api, lists, watch, interrupted } = context;
  const tasks: Row[] = [];
  let read = 0;
  const readProject = async ({ id }: Row): Promise<readonly Row[]> => {
    const rows = await lists.rows(api.tasks.list({ project_id: toNumber(id) }));
    return rows.map((row) => ({ project_id: id, ...row }));
  };
  const stopped = (): boolean => interrupted.aborted;
  await watch.during(
    () => `reading tasks: ${read} of ${projects.length} projects`,
    async () => {
      for await (const rows of runOrderedPool(projects, readProject, {
        width: WIDTH,
        stopped,
      })) {
        read += 1;
        for (const row of rows) tasks.push(row);
      }
    },
  );
  interrupted.throwIfAborted();
  return tasks;
};

/** What numbers mean as numbers, and other ids as texts. */
const compareIds = ({ id: one }: Row, { id: other }: Row): number => {
  const [a, b] = [toText(one), toText(other)];
  const areNumbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  if (areNumbers && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
};

const isViewer = ({ current_role: role }: Row): boolean => role === PROJECT_VIEWER;

/** All that are not archived, by their ids. @throws as a read: half a workspace is none */
export const loadRecords = async (context: Context): Promise<WorkspaceRecords> => {
  const { api, lists } = context;
  const [members, viewers, projects, contracts, webhooks] = await Promise.all([
    lists.rows(api.members.list({})),
    lists.rows(api.viewers.list({})),
    lists.rows(api.projects.list({})),
    lists.rows(api.contracts.list({})),
    lists.rows(api.webhooks.list({})),
  ]);
  const isLive = (row: Row): boolean => !isArchived(row);
  const liveProjects = projects.filter(isLive).sort(compareIds);
  const tasks = await readTasks(context, liveProjects);
  const people = members.filter((row) => !isViewer(row));
  return {
    projects: liveProjects,
    members: people.filter(isLive).sort(compareIds),
    viewers: viewers.filter((row) => !hasLeft(row)).sort(compareIds),
    contracts: contracts.filter(isLive).sort(compareIds),
    tasks: tasks.filter(isLive).sort(compareIds),
    webhooks: [...webhooks].sort(compareIds),
    archived: [...people.filter(isArchived), ...viewers.filter(hasLeft)],
  };
};
