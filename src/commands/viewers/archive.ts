import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { ARCHIVE } from '../../resources/resource.ts';
import { viewerWords } from '../../resources/viewer/columns.ts';
import { hasLeft, viewer } from '../../resources/viewer.ts';
import { checkArchive } from '../filters.ts';
import { variadic } from '../flags.ts';
import { allFlags, filterFlags, targetFlags } from '../target-flags.ts';

const operation = operations.viewers.archive;
const list = operations.viewers.list;

export const viewersArchive = defineCommand({
  path: 'viewers archive',
  aliases: ['delete'],
  operation,
  list,
  examples: ['ttctl viewers archive 17 18', 'ttctl viewers archive ana@example.com --dry-run'],
  positionals: [variadic('viewer', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [
    ...targetFlags(operation),
    ...filterFlags(list, ['email']),
    ...allFlags('every viewer that the filters match'),
  ],
  run: async (context, { values: filters, targets, options }) => {
    checkArchive(context, ['email'], filters, options, 'archive every viewer');
    const { api, commandLine, lookUps } = context;
    await writeMany(context, options, {
      targets,
      verb: ARCHIVE,
      noun: viewer.words,
      needsConfirmation: true,
      resolve: (target, among) => lookUps.find('viewer', target, among),
      call: (viewerId) => api.viewers.archive({ viewerId }),
      all: {
        list: () => api.viewers.list(filters),
        ready: (row) => !hasLeft(row),
        columns: viewerWords,
        row: async (viewerId) => (await api.viewers.get({ viewerId }).send()).data as Row,
      },
      next: (ids) => `Undo with: ${commandLine`ttctl viewers restore ${ids.slice(0, 5)}`}`,
    });
  },
});
