import { firstRow, hasAll, type Proof, type Proofs, verdict } from './proof.ts';

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
    const asSent = hasAll(data, fields) && (role === undefined || data.current_role === role);
    return verdict(asSent && (removed === undefined || data.avatar == null));
  },
};

/** An address is a member once. */
const invited: Proof = {
  after: async (api, values) => {
    const email = String(values.email);
    const same = (address: unknown) => String(address).toLowerCase() === email.toLowerCase();
    return verdict((await firstRow(api.members.list({ email }), (row) => same(row.email))) !== undefined);
  },
};

export const memberProofs: Proofs = {
  'members.archive': archived(true),
  'members.restore': archived(false),
  'members.update': updated,
  'members.invite': invited,
};
