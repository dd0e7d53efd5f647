import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { FILTERS } from '../../cli/flag.ts';
import { contractWords } from '../../resources/contract/columns.ts';
import { contract } from '../../resources/contract.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { checkArchive } from '../filters.ts';
import { flag, memberFilter, variadic } from '../flags.ts';
import { allFlags, targetFlags } from '../target-flags.ts';

const operation = operations.contracts.archive;
const list = operations.contracts.list;

/** The service has no such operation (docs/service.md, Soft deletes). */
const NO_RESTORE = 'The API has no restore for contracts';

export const contractsArchive = defineCommand({
  path: 'contracts archive',
  aliases: ['delete'],
  operation,
  list,
  examples: [
    'ttctl contracts archive 17 18',
    'ttctl contracts archive --all --project 5 --status paused --dry-run',
  ],
  positionals: [variadic('contract', 'ids, or - to read them from stdin')],
  flags: [
    ...targetFlags(operation),
    { ...flag(list, 'project_id', { as: 'project', lookup: 'project' }), group: FILTERS },
    { ...memberFilter(list), group: FILTERS },
    { ...flag(list, 'status'), group: FILTERS },
    ...allFlags('every contract that the filters match'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkArchive(context, ['project_id', 'user_id', 'status'], filters, options, 'archive every contract');
    const { api, commandLine } = context;
    await writeMany(context, options, {
      targets,
      verb: ARCHIVE,
      noun: contract.words,
      needsConfirmation: true,
      facts: [`${NO_RESTORE}.`],
      call: (contractId) => api.contracts.archive({ contractId }),
      all: {
        list: () => api.contracts.list(filters),
        ready: (row) => row.deleted_at == null,
        columns: contractWords,
        row: async (contractId) => (await api.contracts.get({ contractId }).send()).data as Row,
      },
      next: () =>
        `${NO_RESTORE}. To add a member to the project again: ${commandLine`ttctl contracts create --project <project> --member <member>`}`,
    });
  },
});
