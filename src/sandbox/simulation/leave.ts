import type { Leave, LeavePolicy } from '../records.ts';
import { addDaysTo, getMonday } from '../sheets.ts';
import { createUuid } from '../state.ts';
import type { Space } from '../world.ts';
import type { SimulationContext } from './actions.ts';
import type { Workplace } from './workers.ts';

/** Leave in a simulation: who is away, and who asks to be. */

const ownLeaves = (space: Space, user: number): Leave[] =>
  Object.values(space.leaves).filter((leave) => leave.user_id === user && leave.status !== 'rejected');

export const isAway = ({ space, membership }: Workplace, day: string): boolean =>
  ownLeaves(space, membership.user_id).some(
    (leave) => leave.status === 'approved' && leave.start_date <= day && day <= leave.end_date,
  );

/** What is left of a year's allowance once all that the person asked for were granted, in days. */
const daysLeft = (leaves: readonly Leave[], policy: LeavePolicy, year: string): number => {
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
  stage: SimulationContext,
  { space, membership }: Workplace,
  at: number,
): void => {
  const { world, dice, tally: summary } = stage;
  const user = membership.user_id;
  const today = new Date(at).toISOString().slice(0, 10);
  const policy = dice.pick(Object.values(space.leave_policies));
  const first = dice.between(0, 4);
  const days = dice.between(1, 5 - first);
  const start = addDaysTo(getMonday(today), 7 * dice.between(1, 8) + first);
  const end = addDaysTo(start, days - 1);
  const leaves = ownLeaves(space, user);
  if (policy === undefined) return;
  if (leaves.some((leave) => leave.start_date <= end && start <= leave.end_date)) return;
  if (!policy.allow_negative_balance && daysLeft(leaves, policy, start.slice(0, 4)) < days) return;
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
  space.leaves[leave.id] = leave;
  summary.leaves_asked += 1;
};
