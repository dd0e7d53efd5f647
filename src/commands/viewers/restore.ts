import { operations } from '../../api/operations.ts';
import { each } from '../../changes/each.ts';
import { defineCommand } from '../../cli/command.ts';
import { RESTORE } from '../../resources/resource.ts';
import { viewer } from '../../resources/viewer.ts';
import { several, targetFlags } from '../flags.ts';

const operation = operations.viewers.restore;

export const viewersRestore = defineCommand({
  path: 'viewers restore',
  operation,
  examples: ['ttctl viewers restore 17 18'],
  positionals: [several('viewer', 'ids or e-mail addresses, or - for one a line on stdin')],
  flags: [...targetFlags(operation)],
  run: async (context, { targets, options }) => {
    const work = {
      targets,
      verb: RESTORE,
      noun: viewer.words,
      asks: false,
      resolve: (target: string) => context.lookUps.find('viewer', target),
      call: (viewerId: string) => context.api.viewers.restore({ viewerId }),
    } as const;
    await each(context, work, options);
  },
});
