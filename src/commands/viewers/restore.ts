import { operations } from '../../api/operations.ts';
import { each } from '../../bulk/each.ts';
import { RESTORE } from '../../resources/resource.ts';
import { viewer } from '../../resources/viewer.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';

const operation = operations.viewers.restore;

export const viewersRestore = (door: Door) =>
  targetOptions(operationCommand('restore', operation, ['ttctl viewers restore 17 18']))
    .argument('[viewer...]', 'ids or e-mail addresses, or - for one a line on stdin')
    .action(
      runOperation(door, operation, async (context, _values, targets, options) => {
        const work = {
          targets,
          verb: RESTORE,
          noun: viewer.words,
          asks: false,
          resolve: (target: string) => context.lookUps.find('viewer', target),
          call: (viewerId: string) => context.api.viewers.restore({ viewerId }),
        } as const;
        await each(context, work, options);
      }),
    );
