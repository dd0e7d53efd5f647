import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { isOfferedToArchive, member } from '../../resources/member.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { checkArchive } from '../filters.ts';
import { variadic } from '../flags.ts';
import { allFlags, filterFlags, targetFlags } from '../target-flags.ts';
import { createLeaverColumns } from './leavers.ts';

const operation = operations.members.archive;
const list = operations.members.list;

export const membersArchive = defineCommand({
  path: 'members archive',
  aliases: ['delete'],
  operation,
  list,
  examples: ['ttctl members archive 17 18', 'ttctl members archive ana@example.com --dry-run'],
  positionals: [variadic('member', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [
    ...targetFlags(operation),
    ...filterFlags(list, ['email', 'status', 'role']),
    ...allFlags('every member that the filters match, except the owner'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkArchive(context, ['email', 'status', 'role'], filters, options, 'archive every member');
    const { api, clock, commandLine, lookUps } = context;
    await writeMany(context, options, {
      targets,
      verb: ARCHIVE,
      noun: member.words,
      needsConfirmation: true,
      findWarnings: async (changes) => (await import('./open-items.ts')).findOpenItems(context, changes),
      alwaysWarns: true,
      resolve: (target, among) => lookUps.find('member', target, among),
      call: (memberId) => api.members.archive({ memberId }),
      all: {
        list: () => api.members.list(filters),
        ready: isOfferedToArchive,
        columns: createLeaverColumns(clock.now()),
        row: async (memberId) => (await api.members.get({ memberId }).send()).data as Row,
      },
      next: (ids) => `Undo with: ${commandLine`ttctl members restore ${ids.slice(0, 5)}`}`,
    });
  },
});
