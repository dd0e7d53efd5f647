import type { Api } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import {
  archival,
  creation,
  different,
  firstRow,
  found,
  type Proof,
  type Proofs,
  sameForm,
  shows,
  verdict,
} from './proof.ts';

const projectOf = ({ project_id: id }: Values) => (id === undefined ? {} : { project_id: Number(id) });

const get = (api: Api, values: Values) =>
  api.tasks.get({ taskId: String(values.taskId), ...projectOf(values) });

/** Assignees are shown as objects or as bare ids (spec/notes.md, Records): compared apart. */
const fieldsOf = ({ taskId: _id, assignees: _users, ...fields }: Values): Values => fields;

const userOf = (item: unknown): string => {
  const { user_id } = typeof item === 'object' && item !== null ? (item as Row) : { user_id: item };
  return String(user_id);
};

/** Whether the task has these assignees and no others. */
const hasAssignees = (task: Row, users: readonly unknown[]): boolean => {
  const shown = new Set((task.assignees as readonly unknown[]).map(userOf));
  const sent = new Set(users.map(String));
  return shown.size === sent.size && [...sent].every((user) => shown.has(user));
};

const updated: Proof = {
  after: async (api, values) => {
    const task = await found(get(api, values));
    if (task == null) return 'unknown';
    const { assignees } = values;
    const others = shows(task, fieldsOf(values));
    if (!Array.isArray(assignees) || others === 'not-done') return others;
    if (!Array.isArray(task.assignees)) return 'unknown';
    if (!hasAssignees(task, assignees)) return 'not-done';
    return Object.values(fieldsOf(values)).some((value) => value !== undefined) ? others : 'done';
  },
};

const created = creation({
  list: (api, { project_id: project, title }) =>
    project === undefined || title === undefined
      ? undefined
      : api.tasks.list({ project_id: Number(project) }),
  lists: (api, all) =>
    different(all, 'project_id').map((project) => api.tasks.list({ project_id: Number(project) })),
  sentAs: ({ title }) => sameForm(title),
  shownAs: ({ title }) => sameForm(title),
  scope: ({ project_id: project }) => project,
  inRecord: fieldsOf,
  get: (api, id, values) => api.tasks.get({ taskId: id, ...projectOf(values) }),
});

/** The task's assignees show it. */
const isOn = (wanted: boolean): Proof => ({
  after: async (api, values) => {
    const call = api.tasks.assignees({ taskId: String(values.taskId), ...projectOf(values) });
    const row = await firstRow(call, (item) => userOf(item) === String(values.userId));
    return verdict((row !== undefined) === wanted);
  },
});

export const taskProofs: Proofs = {
  'tasks.create': created,
  'tasks.update': updated,
  'tasks.archive': archival(get),
  'tasks.assign': isOn(true),
  'tasks.unassign': isOn(false),
};
