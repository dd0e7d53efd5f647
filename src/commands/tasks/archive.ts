import type { ValuesOf } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { type Each, each } from '../../bulk/each.ts';
import { defineCommand } from '../../cli/command.ts';
import { checkFilters } from '../filters.ts';
import { allFlag, filterFlags, flag, several, targetFlags } from '../flags.ts';
import { taskWords } from './columns.ts';

const operation = operations.tasks.archive;
const list = operations.tasks.list;

/** spec/api.md has no such operation; whether the service has another way is not known. */
const NO_RESTORE = 'The API has no restore for tasks';

export const tasksArchive = defineCommand({
  path: 'tasks archive',
  aliases: ['delete'],
  operation,
  list,
  examples: [
    'ttctl tasks archive 17 18 --project 5',
    'ttctl tasks archive --all --project 5 --status closed --dry-run',
  ],
  positionals: [several('task', 'ids, or - for one a line on stdin')],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'project_id', {
      as: 'project',
      lookup: 'project',
      about: 'project of the tasks; needed with --all',
    }),
    ...filterFlags(list, ['status', 'priority']),
    allFlag('every task of the project that the filters match and that is not archived'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkFilters(['status', 'priority'], filters, options, 'archive every task');
    const { api } = context;
    const { project_id } = filters;
    const work: Each<{ readonly project_id?: ValuesOf<typeof operation>['project_id'] }> = {
      targets,
      values: { project_id },
      verb: ['archive', 'archived'],
      noun: ['task', 'tasks'],
      asks: true,
      facts: [`${NO_RESTORE}.`],
      call: (taskId, row) => api.tasks.archive({ ...row, taskId }),
      all: {
        pages: () => api.tasks.list(filters).pages(),
        ready: (row: Row) => row.deleted_at == null,
        columns: taskWords,
        row: async (taskId) => (await api.tasks.get({ taskId, project_id }).send()).data as Row,
      },
      next: () => `${NO_RESTORE}: to take this back, look in the web app of the service.`,
    };
    await each(context, work, options);
  },
});
