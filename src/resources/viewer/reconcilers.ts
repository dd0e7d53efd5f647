import type { Api } from '../../api/client.ts';
import { toState } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { hasLeft, viewer } from '../../api/records.ts';
import { isRecord, toText } from '../../json.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import {
  normalizeText,
  type Outcome,
  type Reconciler,
  type Reconcilers,
  readOne,
  toOutcome,
} from '../reconcile/reconciler.ts';
import { createMembershipReconciler, createStateReconciler } from '../reconcile/record-change.ts';

const get = (api: Api, { viewerId }: Values) => api.viewers.get({ viewerId: toText(viewerId) });

/** The record that a write names. */
const named = {
  read: (api: Api, values: Values) => readOne(get(api, values)),
  key: ({ viewerId }: Values) => toText(viewerId),
  lists: (api: Api) => [api.viewers.list({})],
};

/** Of a status that is none of the known words nobody can say whether it is that of one who left. */
const judgeState = (row: Row, wanted: boolean): Outcome => {
  if (hasLeft(row)) return toOutcome(wanted);
  const isKnown = row.status === undefined || ['active', 'inactive'].includes(toState(row.status));
  return isKnown ? toOutcome(!wanted) : 'unknown';
};

const archived = createStateReconciler(
  {
    ...named,
    missing: 'done',
    to: 'left',
    judge: (viewer) => judgeState(viewer, true),
    first: true,
  },
  { contradicts: (viewer) => (viewer.status != null && !hasLeft(viewer) ? 'status' : undefined) },
);

const restored = createStateReconciler(
  { ...named, to: 'active', judge: (viewer) => judgeState(viewer, false) },
  { contradicts: (viewer) => (hasLeft(viewer) ? 'status' : undefined) },
);

const appeared = createCreationReconciler({
  operation: operations.viewers.invite,
  resource: viewer,
  list: (api, { email }) => (email === undefined ? undefined : api.viewers.list({ email: toText(email) })),
  lists: (api) => [api.viewers.list({})],
  alike: ({ email }) => normalizeText(email),
  isGone: hasLeft,
  get: (api, id) => api.viewers.get({ viewerId: id }),
});

const invited: Reconciler = {
  ...appeared,
  // A person who has an account already keeps the name in it.
  view: (record) => ({ ...record, firstname: undefined, lastname: undefined }),
};

const idOf = (project: unknown): unknown =>
  isRecord(project) ? (project.project_id ?? project.id ?? idOf(project.project)) : project;

/** Undefined where one of them has no id: nobody can say then which it is. */
const projectsOf = ({ projects }: Row): readonly string[] | undefined => {
  const ids = Array.isArray(projects) ? projects.map(idOf) : [undefined];
  return ids.some((id) => id == null) ? undefined : ids.map(toText);
};

const createAssignmentReconciler = (wanted: boolean): Reconciler =>
  createMembershipReconciler(
    { ...named, field: 'projects', item: 'project_id', wanted, ids: projectsOf },
    {
      contradicts: (viewer, { project_id: project }) =>
        projectsOf(viewer)?.includes(toText(project)) === !wanted ? 'projects' : undefined,
    },
  );

export const viewerReconcilers: Reconcilers<'viewers'> = {
  'viewers.invite': invited,
  'viewers.archive': archived,
  'viewers.restore': restored,
  'viewers.assign': createAssignmentReconciler(true),
  'viewers.unassign': createAssignmentReconciler(false),
};
