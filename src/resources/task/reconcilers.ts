import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord, toNumber } from '../../json/number.ts';
import { textOf } from '../../json/text.ts';
import {
  archival,
  change,
  creation,
  different,
  firstRow,
  type Reconciler,
  type Reconcilers,
  sameForm,
  verdict,
} from '../reconcile/reconciler.ts';

const projectOf = ({ project_id: id }: Values) => (id === undefined ? {} : { project_id: toNumber(id) });

const get = (api: Api, values: Values) =>
  api.tasks.get({ taskId: textOf(values.taskId), ...projectOf(values) });

const userOf = (item: unknown): unknown => (isRecord(item) ? item.user_id : item);

/** Assignees are shown as objects or as bare ids (docs/service.md, Tasks). */
const view = (task: Row): Row => ({
  ...task,
  assignees: Array.isArray(task.assignees) ? task.assignees.map(userOf) : undefined,
});

const created = creation({
  operation: operations.tasks.create,
  list: (api, { project_id: project, title }) =>
    project === undefined || title === undefined
      ? undefined
      : api.tasks.list({ project_id: toNumber(project) }),
  lists: (api, all) =>
    different(all, 'project_id').map((project) => api.tasks.list({ project_id: toNumber(project) })),
  sentAs: ({ title }) => sameForm(title),
  shownAs: ({ title }) => sameForm(title),
  scope: ({ project_id: project }) => project,
  view,
  get: (api, id, values) => api.tasks.get({ taskId: id, ...projectOf(values) }),
});

/** The task's assignees show it. */
const isOn = (wanted: boolean): Reconciler => ({
  after: async (api, values) => {
    const call = api.tasks.assignees({ taskId: textOf(values.taskId), ...projectOf(values) });
    const row = await firstRow(call, (item) => textOf(userOf(item)) === textOf(values.userId));
    return verdict((row !== undefined) === wanted);
  },
  contradicts: ({ user_id: user, assignees }, { userId }) => {
    if (Array.isArray(assignees)) {
      const isThere = assignees.some((item) => textOf(userOf(item)) === textOf(userId));
      return isThere === wanted ? undefined : 'assignees';
    }
    return wanted && user != null && textOf(user) !== textOf(userId) ? 'user_id' : undefined;
  },
});

export const taskReconcilers: Reconcilers<'tasks'> = {
  'tasks.create': created,
  'tasks.update': change(operations.tasks.update, get, view),
  'tasks.archive': archival(get),
  'tasks.assign': isOn(true),
  'tasks.unassign': isOn(false),
};
