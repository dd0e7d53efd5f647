import type { Group, Noun } from '../../cli/command.ts';
import { jobsList } from './list.ts';
import { jobsResume } from './resume.ts';
import { jobsShow } from './show.ts';

export const jobs = (noun: Noun): Group => ({
  ...noun,
  commands: [jobsList, jobsShow, jobsResume],
});
