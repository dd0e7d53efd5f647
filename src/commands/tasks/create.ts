import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { taskColumns } from '../../resources/task/columns.ts';
import { task as taskResource } from '../../resources/task.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.tasks.create;

const formatNextStep = ({ commandLine }: Context, { id, project_id }: Row): string =>
  `See it with: ${commandLine`ttctl tasks get ${id ?? placeholder('task')} --project ${project_id ?? placeholder('project')}`}`;

export const tasksCreate = defineCommand({
  path: 'tasks create',
  operation,
  examples: [
    'ttctl tasks create --project 5 --title "Home page" --priority high',
    'ttctl tasks create --project 5 --title "Photos" --end-date 2026-12-04 --assignee 17 --assignee 18',
    'ttctl tasks create --project 5 --from-file tasks.csv',
  ],
  flags: [
    ...targetFlags(operation, 'this title in the project'),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'title'),
    flag(operation, 'description'),
    flag(operation, 'status'),
    flag(operation, 'priority'),
    flag(operation, 'start_date'),
    flag(operation, 'end_date'),
    flag(operation, 'assignees', { as: 'assignee', lookup: 'member', about: 'member to assign' }),
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: taskResource.words,
      values,
      call: (_, row) => context.api.tasks.create(row),
      target: ({ title }) => title,
      columns: taskColumns(context.names),
      hint: (task) => formatNextStep(context, { project_id: values.project_id, ...task }),
    });
  },
});
