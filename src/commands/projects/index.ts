import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { projectsArchive } from './archive.ts';
import { projectsCreate } from './create.ts';
import { projectsGet } from './get.ts';
import { projectsList } from './list.ts';
import { projectsUpdate } from './update.ts';

export const projects = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: projectsList,
    get: projectsGet,
    create: projectsCreate,
    update: projectsUpdate,
    archive: projectsArchive,
  });
