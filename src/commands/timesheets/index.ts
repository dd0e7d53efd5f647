import type { Group, Noun } from '../../cli/command.ts';
import { timesheetsApprove } from './approve.ts';
import { timesheetsList } from './list.ts';
import { timesheetsReject } from './reject.ts';
import { timesheetsSubmit } from './submit.ts';
import { timesheetsUnsubmit } from './unsubmit.ts';

export const timesheets = (noun: Noun): Group => ({
  ...noun,
  commands: [timesheetsList, timesheetsApprove, timesheetsReject, timesheetsSubmit, timesheetsUnsubmit],
});
