import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord, toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import {
  createArchivalReconciler,
  createChangeReconciler,
  createCreationReconciler,
  findOne,
  listDistinct,
  normalizeText,
  type Reconciler,
  type Reconcilers,
  toOutcome,
} from '../reconcile/reconciler.ts';

const projectOf = ({ project_id: id }: Values) => (id === undefined ? {} : { project_id: toNumber(id) });

const get = (api: Api, values: Values) =>
  api.tasks.get({ taskId: toText(values.taskId), ...projectOf(values) });

const userOf = (item: unknown): unknown => (isRecord(item) ? item.user_id : item);

/** Assignees are shown as objects or as bare ids (docs/service.md, Tasks). */
const view = (task: Row): Row => ({
  ...task,
  assignees: Array.isArray(task.assignees) ? task.assignees.map(userOf) : undefined,
});

const created = createCreationReconciler({
  operation: operations.tasks.create,
  list: (api, { project_id: project, title }) =>
    project === undefined || title === undefined
      ? undefined
      : api.tasks.list({ project_id: toNumber(project) }),
  lists: (api, all) =>
    listDistinct(all, 'project_id').map((project) => api.tasks.list({ project_id: toNumber(project) })),
  sentAs: ({ title }) => normalizeText(title),
  shownAs: ({ title }) => normalizeText(title),
  scope: ({ project_id: project }) => project,
  view,
  get: (api, id, values) => api.tasks.get({ taskId: id, ...projectOf(values) }),
});

/** The task's assignees show it. */
const isOn = (wanted: boolean): Reconciler => ({
  after: async (api, values) => {
    const call = api.tasks.assignees({ taskId: toText(values.taskId), ...projectOf(values) });
    const row = await findOne(call, (item) => toText(userOf(item)) === toText(values.userId));
    return toOutcome((row !== undefined) === wanted);
  },
  contradicts: ({ user_id: user, assignees }, { userId }) => {
    if (Array.isArray(assignees)) {
      const isThere = assignees.some((item) => toText(userOf(item)) === toText(userId));
      return isThere === wanted ? undefined : 'assignees';
    }
    return wanted && user != null && toText(user) !== toText(userId) ? 'user_id' : undefined;
  },
});

export const taskReconcilers: Reconcilers<'tasks'> = {
  'tasks.create': created,
  'tasks.update': createChangeReconciler(operations.tasks.update, get, view),
  'tasks.archive': createArchivalReconciler(get),
  'tasks.assign': isOn(true),
  'tasks.unassign': isOn(false),
};
