import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { timesheetsApprove } from './approve.ts';
import { timesheetsList } from './list.ts';
import { timesheetsReject } from './reject.ts';
import { timesheetsSubmit } from './submit.ts';
import { timesheetsUnsubmit } from './unsubmit.ts';

export const timesheets = (group: Command, door: Door): Command =>
  group
    .addCommand(timesheetsList(door))
    .addCommand(timesheetsApprove(door))
    .addCommand(timesheetsReject(door))
    .addCommand(timesheetsSubmit(door))
    .addCommand(timesheetsUnsubmit(door));
