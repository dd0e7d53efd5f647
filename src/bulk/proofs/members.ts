import { firstRow, type Proof, type Proofs, sameText, shows, verdict } from './proof.ts';

const archived = (wanted: boolean): Proof => ({
  after: async (api, { memberId }) => {
    const { data } = await api.members.get({ memberId: String(memberId) }).send();
    return data === null ? 'unknown' : verdict((data.deleted_at != null) === wanted);
  },
});

/** The sent fields against the record's. */
const updated: Proof = {
  after: async (api, { memberId, role, remove_avatar: removed, ...fields }) => {
    const { data } = await api.members.get({ memberId: String(memberId) }).send();
    if (data === null) return 'unknown';
    if (removed !== undefined && data.avatar != null) return 'not-done';
    return shows(data, { ...fields, current_role: role, avatar: removed === undefined ? undefined : null });
  },
};

/** An address is a member once. */
const invited: Proof = {
  after: async (api, values) => {
    const email = String(values.email);
    const member = await firstRow(api.members.list({ email }), (row) => sameText(row.email, email));
    // The link stands in the answer alone.
    return member === undefined ? 'not-done' : { record: { user_id: member.id, invitation_link: null } };
  },
};

export const memberProofs: Proofs = {
  'members.archive': archived(true),
  'members.restore': archived(false),
  'members.update': updated,
  'members.invite': invited,
};
