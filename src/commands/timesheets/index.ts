import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { timesheetsApprove } from './approve.ts';
import { timesheetsList } from './list.ts';
import { timesheetsReject } from './reject.ts';
import { timesheetsSubmit } from './submit.ts';
import { timesheetsUnsubmit } from './unsubmit.ts';

export const timesheets = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: timesheetsList,
    approve: timesheetsApprove,
    reject: timesheetsReject,
    submit: timesheetsSubmit,
    unsubmit: timesheetsUnsubmit,
  });
