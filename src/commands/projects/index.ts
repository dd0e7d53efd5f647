import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { projectsArchive } from './archive.ts';
import { projectsCreate } from './create.ts';
import { projectsGet } from './get.ts';
import { projectsList } from './list.ts';
import { projectsUpdate } from './update.ts';

export const projects = (group: Command, door: Door): Command =>
  group
    .addCommand(projectsList(door))
    .addCommand(projectsGet(door))
    .addCommand(projectsCreate(door))
    .addCommand(projectsUpdate(door))
    .addCommand(projectsArchive(door));
