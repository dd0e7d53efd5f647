import { isArchived } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import type { Values } from '../api/plan.ts';
import { member, task } from '../api/records.ts';
import { write } from '../changes/write.ts';
import { type Command, defineCommand, type Group, type Noun } from '../cli/command.ts';
import { UsageError } from '../errors.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { createNameColumn } from '../resources/display/columns.ts';
import { assigneeColumns, taskColumns, taskWords } from '../resources/task/columns.ts';
import { flag, groupFlags, readFlags } from './flags.ts';
import { targetFlags } from './target-flags.ts';
import {
  createResolver,
  defineArchive,
  defineCreate,
  defineGet,
  defineListing,
  defineUpdate,
} from './verbs.ts';

const { archive, assign, assignees, create, get, list, unassign, update } = operations.tasks;

const BODY = ['description', 'status', 'priority', 'start_date', 'end_date'] as const;
const PROJECT = { as: 'project', lookup: 'project' } as const;

const listAssignees = defineCommand({
  path: 'tasks assignees',
  operation: assignees,
  examples: ['ttctl tasks assignees 17 --project 5', 'ttctl tasks assignees 17 --project 5 --output ids'],
  positionals: [{ name: 'task', about: 'id of the task', required: true }],
  flags: [...readFlags(assignees), ...groupFlags, flag(assignees, 'project_id', PROJECT)],
  run: async ({ api, names, output, window }, { values, targets: [taskId = ''] }) => {
    const call = api.tasks.assignees({ ...values, taskId });
    call.check('written');
    await output.list(call.pages(window), {
      noun: 'assignees',
      columns: assigneeColumns(names),
      id: 'user_id',
    });
  },
});

export const tasks = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, task.words[1], {
      examples: [
        'ttctl tasks list --project 5',
        'ttctl tasks list --project 5 --status in-progress --priority urgent',
      ],
      flags: [flag(list, 'project_id', PROJECT), flag(list, 'status'), flag(list, 'priority')],
      columns: taskColumns,
    }),
    defineGet(get, task, {
      examples: ['ttctl tasks get 17 --project 5'],
      flags: [flag(get, 'project_id', PROJECT)],
      columns: taskColumns,
    }),
    defineCreate(create, task, {
      examples: [
        'ttctl tasks create --project 5 --title "Home page" --priority high',
        'ttctl tasks create --project 5 --title "Photos" --end-date 2026-12-04 --assignee 17 --assignee 18',
        'ttctl tasks create --project 5 --from-file tasks.csv',
      ],
      alike: 'this title in the project',
      flags: [
        flag(create, 'project_id', PROJECT),
        flag(create, 'title'),
        ...BODY.map((name) => flag(create, name)),
        flag(create, 'assignees', { as: 'assignee', lookup: 'member', about: 'member to assign' }),
      ],
      target: 'title',
      columns: taskColumns,
      hint: ({ commandLine }, { id, project_id: of }, { project_id: given }) =>
        `See it with: ${commandLine`ttctl tasks get ${id ?? placeholder('task')} --project ${of ?? given ?? placeholder('project')}`}`,
    }),
    defineUpdate(update, task, {
      examples: [
        'ttctl tasks update 17 --project 5 --status done',
        'ttctl tasks update 17 --project 5 --title "Home page, again" --priority urgent',
      ],
      flags: [
        flag(update, 'project_id', PROJECT),
        flag(update, 'title', { about: 'new title' }),
        ...BODY.map((name) => flag(update, name)),
        flag(update, 'assignees', {
          as: 'assignee',
          lookup: 'member',
          about: 'members to assign, replacing the current ones',
        }),
      ],
    }),
    defineArchive(archive, task, {
      examples: [
        'ttctl tasks archive 17 18 --project 5',
        'ttctl tasks archive --all --project 5 --status closed --dry-run',
      ],
      list,
      get,
      flags: [
        flag(archive, 'project_id', { ...PROJECT, about: 'project of the tasks; required with --all' }),
      ],
      within: 'project_id',
      filters: [flag(list, 'status'), flag(list, 'priority')],
      ready: (row) => !isArchived(row),
      columns: () => taskWords,
      instead: () => 'To restore it, use the web app of the service.',
    }),
    listAssignees,
    defineAssignment(assign, ['assign', 'assigned'], 'colleague', [
      'ttctl tasks assign 17 --project 5 --member ana@example.com',
      'ttctl tasks assign 17 --project 5 --member 12 --member 15 --yes',
      'ttctl tasks assign --project 5 --from-file work.csv',
    ]),
    defineAssignment(unassign, ['unassign', 'unassigned'], 'assignee', [
      'ttctl tasks unassign 17 --project 5 --member ana@example.com',
      'ttctl tasks unassign 17 --project 5 --member 12 --member 15 --yes',
    ]),
  ],
});

/**
 * One task and the members who are put on it or taken off it: a request for each member.
 * @param kind of record that is picked where none is named
 */
function defineAssignment(
  operation: typeof assign | typeof unassign,
  verb: readonly [imperative: string, past: string],
  kind: 'colleague' | 'assignee',
  examples: readonly string[],
): Command {
  return defineCommand({
    path: `tasks ${verb[0]}`,
    operation: operation as Operation,
    examples,
    // A row of a file puts one member on one task, so it names both.
    input: { target: ['member', 'email'], plain: ['task'] },
    positionals: [{ name: 'task', about: 'id of the task', required: false }],
    flags: [
      ...targetFlags(operation),
      flag(operation, 'project_id', PROJECT),
      {
        name: 'member',
        value: 'member',
        about: `member to ${verb[0]} (id or e-mail); repeat it, separate with commas, or use - to read from stdin; required`,
        repeatable: true,
        needed: { kind },
      },
    ],
    run: async (context, { values: given, targets: [taskArgument], options }) => {
      const values: Values = given;
      const { api, commandLine, names } = context;
      const isAlone = options.fromFile === undefined;
      const targets = splitMembers(options.member);
      if (isAlone && taskArgument === undefined) throw createMissingError('<task>');
      if (isAlone && targets.length === 0) throw createMissingError('--member');
      const { project_id: project } = values;
      // The targets of the results are the members as they were written.
      await write(context, options, {
        targets,
        values,
        verb,
        noun: member.words,
        facts: [
          ...(project === undefined ? [] : [`project    ${project}`]),
          ...(taskArgument === undefined ? [] : [`task       ${taskArgument}`]),
        ],
        resolve: createResolver(context, member),
        shown: { columns: [createNameColumn(names.member, 'user_id', 'member')] },
        call(userId, { task: ofRow, ...row }) {
          const taskId = (ofRow as string | undefined) ?? taskArgument;
          if (taskId === undefined) throw createMissingError('task');
          return api.tasks[operation === assign ? 'assign' : 'unassign']({ ...row, taskId, userId });
        },
        hint: () =>
          `See the assignees: ${commandLine`ttctl tasks assignees ${taskArgument ?? placeholder('task')} --project ${project ?? placeholder('project')}`}`,
      });
    },
  });
}

function splitMembers(members: readonly string[] = []): readonly string[] {
  return members
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function createMissingError(name: string): UsageError {
  return new UsageError(`missing ${name}`, { code: 'missing_value' });
}
