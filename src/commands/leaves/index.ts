import type { Group, Noun } from '../../cli/command.ts';
import { leavesApprove } from './approve.ts';
import { leavesBalances } from './balances.ts';
import { leavesList } from './list.ts';
import { leavesPolicies } from './policies.ts';
import { leavesReject } from './reject.ts';

export const leaves = (noun: Noun): Group => ({
  ...noun,
  commands: [leavesList, leavesApprove, leavesReject, leavesBalances, leavesPolicies],
});
