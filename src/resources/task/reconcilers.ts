import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { task as resource } from '../../api/records.ts';
import { isRecord, toNumber, toText } from '../../json.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import {
  listDistinct,
  normalizeText,
  type Reconciler,
  type Reconcilers,
  readOne,
} from '../reconcile/reconciler.ts';
import {
  createArchivalReconciler,
  createMembershipReconciler,
  createUpdateReconciler,
} from '../reconcile/record-change.ts';

const projectOf = ({ project_id: id }: Values) => (id === undefined ? {} : { project_id: toNumber(id) });

const get = (api: Api, values: Values) =>
  api.tasks.get({ taskId: toText(values.taskId), ...projectOf(values) });

/** The record that a write names. */
const named = {
  key: ({ taskId }: Values) => toText(taskId),
  lists: (api: Api, all: readonly Values[]) =>
    all.some(({ project_id: project }) => project === undefined)
      ? []
      : listDistinct(all, 'project_id').map((project) => api.tasks.list({ project_id: toNumber(project) })),
};

const userOf = (item: unknown): unknown => (isRecord(item) ? item.user_id : item);

/** Assignees are shown as objects or as bare ids (docs/service.md, Tasks). */
const view = (task: Row): Row => ({
  ...task,
  assignees: Array.isArray(task.assignees) ? task.assignees.map(userOf) : undefined,
});

const created = createCreationReconciler({
  operation: operations.tasks.create,
  resource,
  list: (api, { project_id: project, title }) =>
    project === undefined || title === undefined
      ? undefined
      : api.tasks.list({ project_id: toNumber(project) }),
  lists: (api, all) =>
    listDistinct(all, 'project_id').map((project) => api.tasks.list({ project_id: toNumber(project) })),
  alike: ({ title }) => normalizeText(title),
  place: ({ project_id: project }) => toText(project),
  view,
  get: (api, id, values) => api.tasks.get({ taskId: id, ...projectOf(values) }),
});

/** The task's assignees show it. */
const createAssignmentReconciler = (wanted: boolean): Reconciler =>
  createMembershipReconciler(
    {
      read: async (api, values) => {
        const call = api.tasks.assignees({ taskId: toText(values.taskId), ...projectOf(values) });
        const assignees: unknown = await readOne(call);
        // No list is not an empty one.
        if (assignees === undefined) return undefined;
        return Array.isArray(assignees) ? { assignees } : null;
      },
      ...named,
      isWhole: ({ assignees }) => Array.isArray(assignees),
      field: 'assignees',
      item: 'userId',
      subject: ({ userId }) => ({ user_id: userId }),
      wanted,
      ids: ({ assignees }) =>
        Array.isArray(assignees) ? assignees.map((item) => toText(userOf(item))) : undefined,
    },
    {
      contradicts: ({ user_id: user, assignees }, { userId }) => {
        if (Array.isArray(assignees)) {
          const isThere = assignees.some((item) => toText(userOf(item)) === toText(userId));
          return isThere === wanted ? undefined : 'assignees';
        }
        return wanted && user != null && toText(user) !== toText(userId) ? 'user_id' : undefined;
      },
    },
  );

export const taskReconcilers: Reconcilers<'tasks'> = {
  'tasks.create': created,
  'tasks.update': createUpdateReconciler({
    operation: operations.tasks.update,
    resource,
    get,
    view,
    ...named,
  }),
  'tasks.archive': createArchivalReconciler({
    read: (api, values) => readOne(get(api, values)),
    ...named,
  }),
  'tasks.assign': createAssignmentReconciler(true),
  'tasks.unassign': createAssignmentReconciler(false),
};
