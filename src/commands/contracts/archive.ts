import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { each } from '../../bulk/each.ts';
import { contractWords } from '../../resources/contract/columns.ts';
import { contract } from '../../resources/contract.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { type Door, runOperation } from '../../run.ts';
import { allOption, operationCommand, targetOptions } from '../command.ts';
import { checkArchive } from '../filters.ts';
import { flag } from '../options.ts';

const operation = operations.contracts.archive;
const list = operations.contracts.list;
const FILTERS = 'Filters of --all:';

/** The service has no such operation (docs/service.md, Soft deletes). */
const NO_RESTORE = 'The API has no restore for contracts';

export const contractsArchive = (door: Door) =>
  targetOptions(
    operationCommand('archive', operation, [
      'ttctl contracts archive 17 18',
      'ttctl contracts archive --all --project 5 --status paused --dry-run',
    ]),
  )
    .alias('delete')
    .argument('[contract...]', 'ids, or - for one a line on stdin')
    .addOption(flag(list, 'project_id', { as: 'project', lookup: 'project' }).helpGroup(FILTERS))
    .addOption(flag(list, 'user_id', { as: 'member', lookup: 'member' }).helpGroup(FILTERS))
    .addOption(flag(list, 'status').helpGroup(FILTERS))
    .addOption(allOption('every contract that the filters match and that is not archived'))
    .action(
      runOperation(door, list, async (context, filters, targets, options) => {
        checkArchive(
          context,
          ['project_id', 'user_id', 'status'],
          filters,
          options,
          'archive every contract',
        );
        const { api, commandLine } = context;
        const work = {
          targets,
          verb: ARCHIVE,
          noun: contract.words,
          asks: true,
          facts: [`${NO_RESTORE}.`],
          call: (contractId: string) => api.contracts.archive({ contractId }),
          all: {
            pages: () => api.contracts.list(filters).pages(),
            ready: (row: Row) => row.deleted_at == null,
            columns: contractWords,
            row: async (contractId: string) => (await api.contracts.get({ contractId }).send()).data as Row,
          },
          next: () =>
            `${NO_RESTORE}. To put a member back on a project: ${commandLine`ttctl contracts create --project <project> --member <member>`}`,
        } as const;
        await each(context, work, options);
      }),
    );
