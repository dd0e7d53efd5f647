import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { leavesApprove } from './approve.ts';
import { leavesBalances } from './balances.ts';
import { leavesList } from './list.ts';
import { leavesPolicies } from './policies.ts';
import { leavesReject } from './reject.ts';

export const leaves = (group: Command, door: Door): Command =>
  group
    .addCommand(leavesList(door))
    .addCommand(leavesApprove(door))
    .addCommand(leavesReject(door))
    .addCommand(leavesBalances(door))
    .addCommand(leavesPolicies(door));
