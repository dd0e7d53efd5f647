import { creation, type Proof, type Proofs, sameForm, shows, verdict } from './proof.ts';

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

/** The list has viewers in it too: one that is invited as a member was none before. */
const personAs = (email: unknown, role: unknown): string =>
  `${role === 'Project viewer' ? 'viewer ' : ''}${sameForm(email)}`;

const appeared = creation({
  list: (api, { email }) => (email === undefined ? undefined : api.members.list({ email: String(email) })),
  lists: (api) => [api.members.list({})],
  sentAs: ({ email, role }) => personAs(email, role),
  shownAs: ({ email, current_role: role }) => personAs(email, role),
  // A person who has an account already keeps the name in it.
  inRecord: () => ({}),
});

/** An address is a member once: of one that was there before, the list does not tell whether it was invited again. */
const invited: Proof = {
  ...appeared,
  after: async (api, values, before) => {
    const found = await appeared.after(api, values, before);
    if (found === 'not-done') return Array.isArray(before) && before.length > 0 ? 'unknown' : found;
    // The link stands in the answer alone.
    return typeof found === 'string'
      ? found
      : { record: { user_id: found.record.id, invitation_link: null } };
  },
};

export const memberProofs: Proofs = {
  'members.archive': archived(true),
  'members.restore': archived(false),
  'members.update': updated,
  'members.invite': invited,
};
