import type { Leave, LeavePolicy } from '../records.ts';
import { addDaysTo, getMonday } from '../sheets.ts';
import { createUuid } from '../state.ts';
import type { Workspace } from '../world.ts';
import type { SimulationContext } from './actions.ts';
import type { Workplace } from './workers.ts';

/** Leave in a simulation: who is away, and who asks to be. */

const listLeaves = (workspace: Workspace, user: number): Leave[] =>
  Object.values(workspace.leaves).filter((leave) => leave.user_id === user && leave.status !== 'rejected');

export const isAway = ({ workspace, membership }: Workplace, day: string): boolean =>
  listLeaves(workspace, membership.user_id).some(
    (leave) => leave.status === 'approved' && leave.start_date <= day && day <= leave.end_date,
  );

/** What is left of a year's allowance once all that the person asked for were granted, in days. */
const getDaysLeft = (leaves: readonly Leave[], policy: LeavePolicy, year: string): number => {
  const used = leaves
    .filter(({ policy_id, start_date }) => policy_id === policy.id && start_date.startsWith(year))
    .reduce((sum, { total }) => sum + total[policy.time_unit], 0);
  return (policy.duration - used) / (policy.time_unit === 'days' ? 1 : policy.hours_per_day);
};

/**
 * Asks for one to five working days of a week to come. Nothing is asked for that the policy has no days for, or on days
 * that the person asked for before.
 */
export const requestLeave = (
  context: SimulationContext,
  { workspace, membership }: Workplace,
  at: number,
): void => {
  const { world, random, summary } = context;
  const user = membership.user_id;
  const today = new Date(at).toISOString().slice(0, 10);
  const policy = random.pick(Object.values(workspace.leave_policies));
  const weekday = random.between(0, 4);
  const days = random.between(1, 5 - weekday);
  const start = addDaysTo(getMonday(today), 7 * random.between(1, 8) + weekday);
  const end = addDaysTo(start, days - 1);
  const leaves = listLeaves(workspace, user);
  if (policy === undefined) return;
  if (leaves.some((leave) => leave.start_date <= end && start <= leave.end_date)) return;
  if (!policy.allow_negative_balance && getDaysLeft(leaves, policy, start.slice(0, 4)) < days) return;
  const leave: Leave = {
    id: createUuid(world),
    user_id: user,
    policy_id: policy.id,
    status: 'pending',
    note: policy.reason_required ? 'Family matters' : null,
    created_by: user,
    approved_by: null,
    rejected_by: null,
    reject_reason: null,
    start_date: start,
    end_date: end,
    created_on: new Date(at).toISOString(),
    total: { days, hours: days * policy.hours_per_day },
  };
  workspace.leaves[leave.id] = leave;
  summary.leaves_asked += 1;
};
