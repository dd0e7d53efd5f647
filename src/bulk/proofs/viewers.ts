import type { Api } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { archival, creation, found, type Proof, type Proofs, sameForm, verdict } from './proof.ts';

const get = (api: Api, { viewerId }: Values) => api.viewers.get({ viewerId: String(viewerId) });

/** The document gives a viewer no `deleted_at`; an archived one is said to have left (spec/notes.md, Records). */
const isArchived = (row: Row): boolean => row.deleted_at != null || row.status === 'left';

const restored: Proof = {
  after: async (api, values) => {
    const viewer = await found(get(api, values));
    return viewer == null ? 'unknown' : verdict(!isArchived(viewer));
  },
};

/** The address is matched as the key, whatever its case. */
const invited = creation({
  list: (api, { email }) => (email === undefined ? undefined : api.viewers.list({ email: String(email) })),
  lists: (api) => [api.viewers.list({})],
  sentAs: ({ email }) => sameForm(email),
  shownAs: ({ email }) => sameForm(email),
  inRecord: ({ email: _key, ...fields }) => fields,
  get: (api, id) => api.viewers.get({ viewerId: id }),
});

/** The viewer's projects show the access. */
const sees = (wanted: boolean): Proof => ({
  after: async (api, values) => {
    const viewer = await found(get(api, values));
    if (!Array.isArray(viewer?.projects)) return 'unknown';
    const ids = viewer.projects.map((project: Row) => String(project.project_id ?? project.id));
    return verdict(ids.includes(String(values.project_id)) === wanted);
  },
});

export const viewerProofs: Proofs = {
  'viewers.invite': invited,
  'viewers.archive': archival(get, isArchived),
  'viewers.restore': restored,
  'viewers.assign': sees(true),
  'viewers.unassign': sees(false),
};
