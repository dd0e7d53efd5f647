import type { Group, Noun } from '../../cli/command.ts';
import { projectsArchive } from './archive.ts';
import { projectsCreate } from './create.ts';
import { projectsGet } from './get.ts';
import { projectsList } from './list.ts';
import { projectsUpdate } from './update.ts';

export const projects = (noun: Noun): Group => ({
  ...noun,
  commands: [projectsList, projectsGet, projectsCreate, projectsUpdate, projectsArchive],
});
