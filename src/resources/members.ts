import { formatPersonName, isArchived } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import { member, OWNER, PROJECT_VIEWER } from '../api/records.ts';
import { flag, flagsOf, positional, secretsFlag } from '../commands/flags.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { isSameValue } from '../parsing/names.ts';
import { createColumns, personColumn } from './columns.ts';
import { defineResource, SOFT_DELETED } from './define.ts';
import { normalizeText } from './proof.ts';

const { invite, list, update } = operations.members;
const column = createColumns(member.fields);

const listColumns: readonly Column[] = [
  personColumn,
  column('email', { drop: 2, whole: 40 }),
  column('current_role', { drop: 1 }),
  column('status'),
  column('team_name', { drop: 3 }),
  column('title', { drop: 5 }),
  column('weekly_hours_limit', { title: 'h/week', kind: 'number', drop: 4 }),
  column('timezone', { drop: 6 }),
  column('id', { kind: 'number' }),
];

export const members = defineResource('members', {
  record: member,
  label: [personColumn, { field: 'email' }],
  filters: flagsOf(list, ['email', 'status', 'role']),
  archived: { ...SOFT_DELETED, stays: true },
  // The role and the picture have other names in the record.
  view: (record) => ({
    ...record,
    role: record.current_role ?? record.role,
    ...('avatar' in record && { remove_avatar: record.avatar === null ? 1 : 0 }),
  }),
  toShown: (name, value, { avatar }) => (name !== 'remove_avatar' ? value : value === 1 ? null : avatar),
  verbs: {
    list: {
      does: 'list',
      examples: [
        'ttctl members list',
        'ttctl members list --role team-manager --status active',
        'ttctl members list --columns id,email,current_role --output csv',
      ],
      columns: listColumns,
    },
    get: {
      does: 'get',
      examples: ['ttctl members get ana@example.com', 'ttctl members get "Ana Sousa" --output json'],
      columns: [],
    },
    invite: {
      does: 'create',
      examples: [
        'ttctl members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
        'ttctl members invite --from-file people.csv --role regular-user',
      ],
      verb: ['invite', 'invited'],
      positionals: [positional(invite, 'email', 'e-mail address to invite')],
      // The list has viewers in it too: one that is invited as a member was none before.
      alike: ({ email, role, current_role: shown = role }) =>
        `${shown === PROJECT_VIEWER ? 'viewer ' : ''}${normalizeText(email)}`,
      told: ['email'],
      // A person who has an account already keeps the name in it.
      byLikeness: true,
      ignored: ['firstname', 'lastname'],
      judgeFound: (found, values, before) => {
        // Of an address that was there before, the list does not tell whether it was invited again.
        if (found === 'not-done') return Array.isArray(before) && before.length > 0 ? 'unknown' : found;
        if (typeof found === 'string') return found;
        const shown = found.record.current_role ?? values.role;
        return isSameValue(values.role, shown, invite.parameters.role) ? found : 'unknown';
      },
      // The link stands in the answer to an invitation alone.
      toAnswer: ({ id }) => ({ user_id: id, invitation_link: null }),
      likeness: 'this address',
      flags: [...flagsOf(invite, ['firstname', 'lastname', 'role']), secretsFlag],
      target: 'email',
      once: true,
      columns: [{ field: 'user_id' }, { field: 'invitation_link', kind: 'secret' }],
    },
    update: {
      does: 'update',
      examples: [
        'ttctl members update "Ana Sousa" --weekly-hours-limit 32',
        'ttctl members update ana@example.com --role project-manager --rate-status hidden',
        'ttctl members update --from-file changes.csv',
      ],
      flags: [
        flag(update, 'email', { about: 'new e-mail address' }),
        ...flagsOf(update, [
          'firstname',
          'lastname',
          'timezone',
          'role',
          'rate_status',
          'weekly_hours_limit',
        ]),
        { ...flag(update, 'remove_avatar'), unsafe: true },
      ],
    },
    archive: {
      does: 'archive',
      examples: [
        'ttctl members archive ana@example.com --dry-run',
        'ttctl members archive ana@example.com --end-contracts',
      ],
      except: ', except the owner',
      // Whom nobody named: without the owner a workspace could not go on. Whether the service refuses that is not known.
      ready: (row) => !isArchived(row) && row.current_role !== OWNER,
      // Who has been invited and has not come is inactive too: both is said.
      columns: [
        personColumn,
        { field: 'email' },
        { field: 'status', kind: 'state' },
        { field: 'created_at', show: ({ created_at: at }) => at && `invited ${toText(at).slice(0, 10)}` },
        { field: 'id' },
      ],
      flags: [{ name: 'end-contracts', about: 'archive their contracts too, for good', unsafe: true }],
      findWarnings: async (run, changes) => (await loadOpenItems()).findOpenItems(run, changes),
      refuses: (row) =>
        row.current_role === OWNER
          ? `${formatPersonName(row)} owns the workspace and cannot be archived`
          : undefined,
      endContracts: async (run, selection) => (await loadOpenItems()).endContracts(run, selection),
    },
    restore: { does: 'restore', examples: ['ttctl members restore ana@example.com'] },
  },
});

function loadOpenItems() {
  return import('../decide/open-items.ts');
}
