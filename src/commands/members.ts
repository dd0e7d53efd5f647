import { operations } from '../api/operations.ts';
import { isOfferedToArchive, member } from '../api/records.ts';
import type { Group, Noun } from '../cli/command.ts';
import { createInvitedColumn, personColumn } from '../resources/display/columns.ts';
import { memberColumns, memberDetails } from '../resources/member/columns.ts';
import { flag, positional, secretsFlag } from './flags.ts';
import {
  defineArchive,
  defineCreate,
  defineGet,
  defineListing,
  defineRestore,
  defineUpdate,
} from './verbs.ts';
import { describeWeekLimit } from './week-limit.ts';

const { archive, get, invite, list, restore, update } = operations.members;

export const members = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, member.words[1], {
      examples: [
        'ttctl members list',
        'ttctl members list --role team-manager --status active',
        'ttctl members list --columns id,email,current_role --output csv',
      ],
      flags: [flag(list, 'email'), flag(list, 'status'), flag(list, 'role')],
      columns: memberColumns,
    }),
    defineGet(get, member, {
      examples: ['ttctl members get 17', 'ttctl members get ana@example.com --output json'],
      columns: memberDetails,
    }),
    defineCreate(invite, member, {
      examples: [
        'ttctl members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
        'ttctl members invite --from-file people.csv --role regular-user',
      ],
      verb: ['invite', 'invited'],
      positionals: [positional(invite, 'email', 'e-mail address to invite')],
      alike: 'this address',
      flags: [flag(invite, 'firstname'), flag(invite, 'lastname'), flag(invite, 'role'), secretsFlag],
      target: 'email',
      once: true,
      columns: [{ field: 'user_id' }, { field: 'invitation_link', kind: 'secret' }],
      hint: ({ commandLine }, { user_id }, { email }) =>
        `Invited ${email}. The link is in the invitation e-mail (--show-secrets prints it). See the new member with: ${commandLine`ttctl members get ${user_id ?? email}`}`,
    }),
    defineUpdate(update, member, {
      examples: [
        'ttctl members update 17 --weekly-hours-limit 32',
        'ttctl members update ana@example.com --role project-manager --rate-status hidden',
        'ttctl members update --from-file changes.csv',
      ],
      flags: [
        flag(update, 'email', { about: 'new e-mail address' }),
        flag(update, 'firstname'),
        flag(update, 'lastname'),
        flag(update, 'timezone'),
        flag(update, 'role'),
        flag(update, 'rate_status'),
        flag(update, 'weekly_hours_limit'),
        { ...flag(update, 'remove_avatar'), unsafe: true },
      ],
      remark: describeWeekLimit,
    }),
    defineArchive(archive, member, {
      examples: ['ttctl members archive 17 18', 'ttctl members archive ana@example.com --dry-run'],
      list,
      get,
      filters: [flag(list, 'email'), flag(list, 'status'), flag(list, 'role')],
      except: ', except the owner',
      ready: isOfferedToArchive,
      // Who has been invited and has not come is inactive too: both is said.
      columns: ({ clock }) => [
        personColumn,
        { field: 'email' },
        { field: 'status', kind: 'state' },
        createInvitedColumn(clock.now()),
        { field: 'id' },
      ],
      findWarnings: async (context, changes) =>
        (await import('./open-items.ts')).findOpenItems(context, changes),
    }),
    defineRestore(restore, member, { examples: ['ttctl members restore 17 18'] }),
  ],
});
