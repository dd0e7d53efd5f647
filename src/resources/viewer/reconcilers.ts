import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord } from '../../json/number.ts';
import { textOf } from '../../json/text.ts';
import {
  archival,
  creation,
  found,
  type Reconciler,
  type Reconcilers,
  sameForm,
  verdict,
} from '../reconcile/reconciler.ts';
import { hasLeft } from '../viewer.ts';

const get = (api: Api, { viewerId }: Values) => api.viewers.get({ viewerId: textOf(viewerId) });

const restored: Reconciler = {
  after: async (api, values) => {
    const viewer = await found(get(api, values));
    return viewer == null ? 'unknown' : verdict(!hasLeft(viewer));
  },
  contradicts: (viewer) => (hasLeft(viewer) ? 'status' : undefined),
};

const appeared = creation({
  operation: operations.viewers.invite,
  list: (api, { email }) => (email === undefined ? undefined : api.viewers.list({ email: textOf(email) })),
  lists: (api) => [api.viewers.list({})],
  sentAs: ({ email }) => sameForm(email),
  shownAs: ({ email }) => sameForm(email),
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
    ? projects.some((one) => isRecord(one) && textOf(one.project_id ?? one.id) === textOf(wanted))
    : undefined;

const sees = (wanted: boolean): Reconciler => ({
  after: async (api, values) => {
    const viewer = await found(get(api, values));
    const sees = viewer == null ? undefined : hasProject(viewer, values);
    return sees === undefined ? 'unknown' : verdict(sees === wanted);
  },
  contradicts: (viewer, values) => (hasProject(viewer, values) === !wanted ? 'projects' : undefined),
});

export const viewerReconcilers: Reconcilers<'viewers'> = {
  'viewers.invite': invited,
  'viewers.archive': {
    ...archival(get, hasLeft),
    contradicts: (viewer) => (viewer.status != null && !hasLeft(viewer) ? 'status' : undefined),
    state: 'status',
  },
  'viewers.restore': restored,
  'viewers.assign': sees(true),
  'viewers.unassign': sees(false),
};
