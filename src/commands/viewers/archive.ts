import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { each } from '../../bulk/each.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { viewerWords } from '../../resources/viewer/columns.ts';
import { hasLeft, viewer } from '../../resources/viewer.ts';
import { type Door, runOperation } from '../../run.ts';
import { allOption, operationCommand, targetOptions } from '../command.ts';
import { checkArchive, filterOptions } from '../filters.ts';

const operation = operations.viewers.archive;
const list = operations.viewers.list;

export const viewersArchive = (door: Door) =>
  filterOptions(
    targetOptions(
      operationCommand('archive', operation, [
        'ttctl viewers archive 17 18',
        'ttctl viewers archive ana@example.com --dry-run',
      ]),
    ),
    list,
    ['email'],
  )
    .alias('delete')
    .argument('[viewer...]', 'ids or e-mail addresses, or - for one a line on stdin')
    .addOption(allOption('every viewer that the filters match and that is not archived'))
    .action(
      runOperation(door, list, async (context, filters, targets, options) => {
        checkArchive(context, ['email'], filters, options, 'archive every viewer');
        const { api, commandLine, lookUps } = context;
        const work = {
          targets,
          verb: ARCHIVE,
          noun: viewer.words,
          asks: true,
          resolve: (target: string) => lookUps.find('viewer', target),
          call: (viewerId: string) => api.viewers.archive({ viewerId }),
          all: {
            pages: () => api.viewers.list(filters).pages(),
            ready: (row: Row) => !hasLeft(row),
            columns: viewerWords,
            row: async (viewerId: string) => (await api.viewers.get({ viewerId }).send()).data as Row,
          },
          next: (ids: readonly string[]) =>
            `Take it back with: ${commandLine`ttctl viewers restore ${ids.slice(0, 5)}`}`,
        } as const;
        await each(context, work, options);
      }),
    );
