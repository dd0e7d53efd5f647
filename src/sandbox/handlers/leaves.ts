import { answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toRequestData } from '../events.ts';
import {
  type DayRange,
  isOverlapping,
  matchesFilter,
  readIdFilter,
  readRange,
  readUserFilter,
} from '../filters.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage } from '../paging.ts';
import { choiceReader, dayReader, integerReader, textReader } from '../read.ts';
import type { Leave, LeavePolicy } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { findRecord, formatFullName } from '../state.ts';
import type { Membership, Workspace } from '../world.ts';

const formatPaid = (workspace: Workspace, leave: Leave): 'yes' | 'no' =>
  findRecord(workspace.leave_policies, leave.policy_id)?.is_paid === true ? 'yes' : 'no';

const toLeaveView = (call: WorkspaceCall, leave: Leave) => ({
  ...leave,
  id: toOutwardId(call.dialect, leave.id),
  is_paid: formatPaid(call.workspace, leave),
});

const list = (call: WorkspaceCall): HandlerAnswer => {
  const id = readIdFilter(call);
  const policy = call.input.filter('policy_id', integerReader());
  const paid = call.input.filter('is_paid', choiceReader(['yes', 'no']));
  const status = call.input.filter('status', choiceReader(['pending', 'approved', 'rejected']));
  const range = readRange(call);
  const user = readUserFilter(call);
  const rows = Object.values(call.workspace.leaves).filter(
    (leave) =>
      matchesFilter(id, leave.id) &&
      matchesFilter(policy, leave.policy_id) &&
      matchesFilter(paid, formatPaid(call.workspace, leave)) &&
      matchesFilter(status, leave.status) &&
      matchesFilter(user, leave.user_id) &&
      isOverlapping(range, leave.start_date, leave.end_date),
  );
  return answerPage(call, rows, (leave) => toLeaveView(call, leave));
};

/** @throws Refusal (404). */
const requireLeave = (call: WorkspaceCall): Leave => {
  const id = getPathValue(call, 'leaveRequestId');
  const leave = findRecord(call.workspace.leaves, toInwardId(call.dialect, id));
  if (leave === undefined) throw notFound('leave request', id);
  return leave;
};

const requirePending = (leave: Leave): void => {
  if (leave.status !== 'pending') {
    throw wrongState(`Only pending leave requests can be decided; this one is ${leave.status}.`);
  }
};

const approve = (call: WorkspaceCall): HandlerAnswer => {
  const leave = requireLeave(call);
  requirePending(leave);
  leave.status = 'approved';
  leave.approved_by = call.user.id;
  call.emit(call.workspace, toRequestData(call.dialect, leave));
  return answerDone('The leave request has been approved.');
};

const reject = (call: WorkspaceCall): HandlerAnswer => {
  const leave = requireLeave(call);
  const reason = call.input.need('reason', textReader);
  requirePending(leave);
  leave.status = 'rejected';
  leave.rejected_by = call.user.id;
  leave.reject_reason = reason;
  call.emit(call.workspace, toRequestData(call.dialect, leave));
  return answerDone('The leave request has been rejected.');
};

/** What is left of a policy's allowance for one person: approved leave in the range is taken from it. */
const calculateBalance = (
  workspace: Workspace,
  policy: LeavePolicy,
  user: number,
  range: DayRange,
): number => {
  const used = Object.values(workspace.leaves)
    .filter(
      (leave) =>
        leave.user_id === user &&
        leave.policy_id === policy.id &&
        leave.status === 'approved' &&
        isOverlapping(range, leave.start_date, leave.end_date),
    )
    .reduce((sum, leave) => sum + leave.total[policy.time_unit], 0);
  return policy.duration - used;
};

const toBalanceView = (call: WorkspaceCall, member: Membership, range: DayRange) => {
  const policies = Object.values(call.workspace.leave_policies);
  const balances = policies.map((policy) => ({
    policy,
    balance: calculateBalance(call.workspace, policy, member.user_id, range),
  }));
  const days = balances.reduce(
    (sum, { policy, balance }) =>
      sum + (policy.time_unit === 'days' ? balance : balance / policy.hours_per_day),
    0,
  );
  return {
    user_id: member.user_id,
    user_name: formatFullName(findRecord(call.world.users, member.user_id)),
    leave_information: balances.map(({ policy, balance }) => ({
      leave_type: policy.name,
      balance: `${balance} ${policy.time_unit}`,
    })),
    total_balance: `${Math.round(days * 100) / 100} days`,
  };
};

const listBalances = (call: WorkspaceCall): HandlerAnswer => {
  for (const name of ['date_from', 'date_to']) {
    if (call.input.filter(name, dayReader) === undefined)
      throw invalid(name, `The ${name} field is required.`);
  }
  const range = readRange(call);
  const user = readUserFilter(call);
  const rows = Object.values(call.workspace.members).filter(
    (member) =>
      member.deleted_at === null && member.role !== 'Project viewer' && matchesFilter(user, member.user_id),
  );
  return answerPage(call, rows, (member) => toBalanceView(call, member, range), { perPage: 20, fixed: true });
};

const listPolicies = (call: WorkspaceCall): HandlerAnswer => {
  const id = call.input.filter('id', integerReader());
  return answerData(
    Object.values(call.workspace.leave_policies).filter((policy) => matchesFilter(id, policy.id)),
  );
};

export const routes: readonly Route[] = [
  {
    route: 'GET /leaves',
    handle: list,
  },
  {
    route: 'PUT /leaves/{leaveRequestId}/approve',
    handle: approve,
    events: ['leave.approved'],
  },
  {
    route: 'PUT /leaves/{leaveRequestId}/reject',
    handle: reject,
    events: ['leave.rejected'],
  },
  {
    route: 'GET /leaves/balances',
    handle: listBalances,
  },
  {
    route: 'GET /leaves/policies',
    handle: listPolicies,
  },
];
