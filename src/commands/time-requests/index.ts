import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { timeRequestsApprove } from './approve.ts';
import { timeRequestsCreate } from './create.ts';
import { timeRequestsGet } from './get.ts';
import { timeRequestsList } from './list.ts';
import { timeRequestsReject } from './reject.ts';

export const timeRequests = (group: Command, door: Door): Command =>
  group
    .addCommand(timeRequestsList(door))
    .addCommand(timeRequestsGet(door))
    .addCommand(timeRequestsCreate(door))
    .addCommand(timeRequestsApprove(door))
    .addCommand(timeRequestsReject(door));
