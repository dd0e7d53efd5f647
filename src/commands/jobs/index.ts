import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { jobsList } from './list.ts';
import { jobsRemove } from './remove.ts';
import { jobsResume } from './resume.ts';
import { jobsShow } from './show.ts';

export const jobs = (group: Command, door: Door): Command =>
  group
    .addCommand(jobsList(door))
    .addCommand(jobsShow(door))
    .addCommand(jobsResume(door))
    .addCommand(jobsRemove(door));
