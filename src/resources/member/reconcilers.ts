import type { Api } from '../../api/client.ts';
import { isArchived } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { member, PROJECT_VIEWER } from '../../api/records.ts';
import { toText } from '../../json.ts';
import { isSameValue } from '../../parsing/names.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import {
  normalizeText,
  type Reconciler,
  type Reconcilers,
  readOne,
  toOutcome,
} from '../reconcile/reconciler.ts';
import { createStateReconciler, createUpdateReconciler, NOW } from '../reconcile/record-change.ts';

const get = (api: Api, memberId: unknown) => api.members.get({ memberId: toText(memberId) });

/** The role and the picture have other names in the record. */
const view = (record: Row): Row => ({
  ...record,
  role: record.current_role ?? record.role,
  ...('avatar' in record ? { remove_avatar: record.avatar === null ? 1 : 0 } : {}),
});

/** The record that a write names. */
const named = {
  key: ({ memberId }: Values) => toText(memberId),
  lists: (api: Api) => [api.members.list({})],
};

/** Archiving somebody who is archived is answered as done (docs/service.md, States). */
const createArchivedReconciler = (wanted: boolean): Reconciler =>
  createStateReconciler(
    {
      ...named,
      read: (api, { memberId }) => readOne(get(api, memberId)),
      state: 'deleted_at',
      to: wanted ? NOW : null,
      judge: (record) => toOutcome(isArchived(record) === wanted),
      ...(wanted ? { first: true } : {}),
    },
    {
      contradicts: ({ deleted_at: at, status }) => {
        if (at === undefined) return wanted && status === 'active' ? 'status' : undefined;
        return (at !== null) === wanted ? undefined : 'deleted_at';
      },
    },
  );

/** As the service answers an invitation; the link stands in that answer alone. */
const toInvitation = ({ id }: Row): Row => ({ user_id: id, invitation_link: null });

/** The list has viewers in it too: one that is invited as a member was none before. */
const personAs = (email: unknown, role: unknown): string =>
  `${role === PROJECT_VIEWER ? 'viewer ' : ''}${normalizeText(email)}`;

const { invite } = operations.members;

const appeared = createCreationReconciler({
  operation: invite,
  resource: member,
  list: (api, { email }) => (email === undefined ? undefined : api.members.list({ email: toText(email) })),
  lists: (api) => [api.members.list({})],
  alike: ({ email, role, current_role: shown = role }) => personAs(email, shown),
  // A person who has an account already keeps the name in it.
  byLikeness: true,
  judgeFound: (found, values, before) => {
    if (found === 'not-done') return Array.isArray(before) && before.length > 0 ? 'unknown' : found;
    if (typeof found === 'string') return found;
    const { record } = found;
    if (!isSameValue(values.role, record.current_role ?? values.role, invite.parameters.role))
      return 'unknown';
    return { record: toInvitation(record) };
  },
});

/** An address is a member once: of one that was there before, the list does not tell whether it was invited again. */
const invited: Reconciler = {
  ...appeared,
  likes: async (api, all) => {
    const find = await appeared.likes?.(api, all);
    return (values) => {
      const record = find?.(values);
      return record && toInvitation(record);
    };
  },
  // A name in an account stays as it is there.
  view: (record) => ({ ...view(record), firstname: undefined, lastname: undefined }),
};

export const memberReconcilers: Reconcilers<'members'> = {
  'members.archive': createArchivedReconciler(true),
  'members.restore': createArchivedReconciler(false),
  'members.update': createUpdateReconciler({
    operation: operations.members.update,
    resource: member,
    get: (api, { memberId }) => get(api, memberId),
    view,
    toShown: (name, value, { avatar }) => (name === 'remove_avatar' ? (value === 1 ? null : avatar) : value),
    ...named,
  }),
  'members.invite': invited,
};
