import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { projectWords } from '../../resources/project/columns.ts';
import { project } from '../../resources/project.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { checkArchive } from '../filters.ts';
import { variadic } from '../flags.ts';
import { allFlags, filterFlags, targetFlags } from '../target-flags.ts';

const operation = operations.projects.archive;
const list = operations.projects.list;

/** No such operation is documented (docs/service.md, Soft deletes). */
const NO_RESTORE = 'The API has no restore for projects';

export const projectsArchive = defineCommand({
  path: 'projects archive',
  aliases: ['delete'],
  operation,
  list,
  examples: ['ttctl projects archive 17', 'ttctl projects archive --all --name kiosk --dry-run'],
  positionals: [variadic('project', 'ids or full names, or - to read them from stdin')],
  flags: [
    ...targetFlags(operation),
    ...filterFlags(list, ['name']),
    ...allFlags('every project that the filters match'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkArchive(context, ['name'], filters, options, 'archive every project');
    const { api, lookUps } = context;
    await writeMany(context, options, {
      targets,
      verb: ARCHIVE,
      noun: project.words,
      needsConfirmation: true,
      facts: [`${NO_RESTORE}.`],
      resolve: (target, among) => lookUps.find('project', target, among),
      call: (projectId) => api.projects.archive({ projectId }),
      all: {
        list: () => api.projects.list(filters),
        ready: (row) => row.deleted_at == null,
        columns: projectWords,
        row: async (projectId) => (await api.projects.get({ projectId }).send()).data as Row,
      },
      next: () => `${NO_RESTORE}. To restore it, use the web app of the service.`,
    });
  },
});
