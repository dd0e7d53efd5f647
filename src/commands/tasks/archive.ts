import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { taskWords } from '../../resources/task/columns.ts';
import { task } from '../../resources/task.ts';
import { checkFilters } from '../filters.ts';
import { flag, variadic } from '../flags.ts';
import { allFlags, filterFlags, targetFlags } from '../target-flags.ts';

const { archive: operation, list } = operations.tasks;

/** No such operation is documented (docs/service.md, Soft deletes). */
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
  positionals: [variadic('task', 'ids, or - to read them from stdin')],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'project_id', {
      as: 'project',
      lookup: 'project',
      about: 'project of the tasks; required with --all',
    }),
    ...filterFlags(list, ['status', 'priority']),
    ...allFlags('every task of the project that the filters match'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkFilters(['status', 'priority'], filters, options, 'archive every task');
    const { project_id } = filters;
    await writeMany(context, options, {
      targets,
      values: { project_id },
      verb: ARCHIVE,
      noun: task.words,
      needsConfirmation: true,
      facts: [`${NO_RESTORE}.`],
      call: (taskId, row) => context.api.tasks.archive({ ...row, taskId }),
      all: {
        list: () => context.api.tasks.list(filters),
        ready: (row) => row.deleted_at == null,
        columns: taskWords,
        row: async (taskId) => (await context.api.tasks.get({ taskId, project_id }).send()).data as Row,
      },
      next: () => `${NO_RESTORE}. To restore it, use the web app of the service.`,
    });
  },
});
