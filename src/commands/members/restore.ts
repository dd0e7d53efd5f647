import { operations } from '../../api/operations.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { member } from '../../resources/member.ts';
import { RESTORE } from '../../resources/resource.ts';
import { variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.members.restore;

export const membersRestore = defineCommand({
  path: 'members restore',
  operation,
  examples: ['ttctl members restore 17 18'],
  positionals: [variadic('member', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [...targetFlags(operation)],
  run: async (context, { targets, options }) => {
    await writeMany(context, options, {
      targets,
      verb: RESTORE,
      noun: member.words,
      resolve: (target, among) => context.lookUps.find('member', target, among),
      call: (memberId) => context.api.members.restore({ memberId }),
    });
  },
});
