import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { tasksArchive } from './archive.ts';
import { tasksAssign } from './assign.ts';
import { tasksAssignees } from './assignees.ts';
import { tasksCreate } from './create.ts';
import { tasksGet } from './get.ts';
import { tasksList } from './list.ts';
import { tasksUnassign } from './unassign.ts';
import { tasksUpdate } from './update.ts';

export const tasks = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: tasksList,
    get: tasksGet,
    create: tasksCreate,
    update: tasksUpdate,
    archive: tasksArchive,
    assignees: tasksAssignees,
    assign: tasksAssign,
    unassign: tasksUnassign,
  });
