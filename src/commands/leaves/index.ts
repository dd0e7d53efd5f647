import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { leavesApprove } from './approve.ts';
import { leavesBalances } from './balances.ts';
import { leavesList } from './list.ts';
import { leavesPolicies } from './policies.ts';
import { leavesReject } from './reject.ts';

export const leaves = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: leavesList,
    approve: leavesApprove,
    reject: leavesReject,
    balances: leavesBalances,
    policies: leavesPolicies,
  });
