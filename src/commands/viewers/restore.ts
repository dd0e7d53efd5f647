import { operations } from '../../api/operations.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { RESTORE } from '../../resources/resource.ts';
import { viewer } from '../../resources/viewer.ts';
import { variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.viewers.restore;

export const viewersRestore = defineCommand({
  path: 'viewers restore',
  operation,
  examples: ['ttctl viewers restore 17 18'],
  positionals: [variadic('viewer', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [...targetFlags(operation)],
  run: async (context, { targets, options }) => {
    await writeMany(context, options, {
      targets,
      verb: RESTORE,
      noun: viewer.words,
      resolve: (target, among) => context.lookUps.find('viewer', target, among),
      call: (viewerId) => context.api.viewers.restore({ viewerId }),
    });
  },
});
