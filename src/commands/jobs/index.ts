import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { jobsList } from './list.ts';
import { jobsRemove } from './remove.ts';
import { jobsResume } from './resume.ts';
import { jobsShow } from './show.ts';

export const jobs = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: jobsList,
    show: jobsShow,
    resume: jobsResume,
    remove: jobsRemove,
  });
