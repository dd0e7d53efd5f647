import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { tasksArchive } from './archive.ts';
import { tasksAssign } from './assign.ts';
import { tasksAssignees } from './assignees.ts';
import { tasksCreate } from './create.ts';
import { tasksGet } from './get.ts';
import { tasksList } from './list.ts';
import { tasksUnassign } from './unassign.ts';
import { tasksUpdate } from './update.ts';

export const tasks = (group: Command, door: Door): Command =>
  group
    .addCommand(tasksList(door))
    .addCommand(tasksGet(door))
    .addCommand(tasksCreate(door))
    .addCommand(tasksUpdate(door))
    .addCommand(tasksArchive(door))
    .addCommand(tasksAssignees(door))
    .addCommand(tasksAssign(door))
    .addCommand(tasksUnassign(door));
