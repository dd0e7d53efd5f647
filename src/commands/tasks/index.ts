import type { Group, Noun } from '../../cli/command.ts';
import { tasksArchive } from './archive.ts';
import { tasksAssign } from './assign.ts';
import { tasksAssignees } from './assignees.ts';
import { tasksCreate } from './create.ts';
import { tasksGet } from './get.ts';
import { tasksList } from './list.ts';
import { tasksUnassign } from './unassign.ts';
import { tasksUpdate } from './update.ts';

export const tasks = (noun: Noun): Group => ({
  ...noun,
  commands: [
    tasksList,
    tasksGet,
    tasksCreate,
    tasksUpdate,
    tasksArchive,
    tasksAssignees,
    tasksAssign,
    tasksUnassign,
  ],
});
