import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { timeRequestsApprove } from './approve.ts';
import { timeRequestsCreate } from './create.ts';
import { timeRequestsGet } from './get.ts';
import { timeRequestsList } from './list.ts';
import { timeRequestsReject } from './reject.ts';

export const timeRequests = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: timeRequestsList,
    get: timeRequestsGet,
    create: timeRequestsCreate,
    approve: timeRequestsApprove,
    reject: timeRequestsReject,
  });
