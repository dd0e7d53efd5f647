import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import {
  createArchivalReconciler,
  createCreationReconciler,
  normalizeText,
  type Reconciler,
  type Reconcilers,
  readOne,
  toOutcome,
} from '../reconcile/reconciler.ts';
import { hasLeft } from '../viewer.ts';

const get = (api: Api, { viewerId }: Values) => api.viewers.get({ viewerId: toText(viewerId) });

const restored: Reconciler = {
  after: async (api, values) => {
    const viewer = await readOne(get(api, values));
    return viewer == null ? 'unknown' : toOutcome(!hasLeft(viewer));
  },
  contradicts: (viewer) => (hasLeft(viewer) ? 'status' : undefined),
};

const appeared = createCreationReconciler({
  operation: operations.viewers.invite,
  list: (api, { email }) => (email === undefined ? undefined : api.viewers.list({ email: toText(email) })),
  lists: (api) => [api.viewers.list({})],
  sentAs: ({ email }) => normalizeText(email),
  shownAs: ({ email }) => normalizeText(email),
  get: (api, id) => api.viewers.get({ viewerId: id }),
});

const invited: Reconciler = {
  ...appeared,
  // A person who has an account already keeps the name in it.
  ...(appeared.saved && {
    saved: {
      ...appeared.saved,
      view: (record) => ({ ...record, firstname: undefined, lastname: undefined }),
    },
  }),
};

/** Whether the viewer's projects show the access; undefined where they are not shown. */
const hasProject = ({ projects }: Row, { project_id: wanted }: Values): boolean | undefined =>
  Array.isArray(projects)
    ? projects.some((one) => isRecord(one) && toText(one.project_id ?? one.id) === toText(wanted))
    : undefined;

const sees = (wanted: boolean): Reconciler => ({
  after: async (api, values) => {
    const viewer = await readOne(get(api, values));
    const sees = viewer == null ? undefined : hasProject(viewer, values);
    return sees === undefined ? 'unknown' : toOutcome(sees === wanted);
  },
  contradicts: (viewer, values) => (hasProject(viewer, values) === !wanted ? 'projects' : undefined),
});

export const viewerReconcilers: Reconcilers<'viewers'> = {
  'viewers.invite': invited,
  'viewers.archive': {
    ...createArchivalReconciler(get, hasLeft),
    contradicts: (viewer) => (viewer.status != null && !hasLeft(viewer) ? 'status' : undefined),
    state: 'status',
  },
  'viewers.restore': restored,
  'viewers.assign': sees(true),
  'viewers.unassign': sees(false),
};
