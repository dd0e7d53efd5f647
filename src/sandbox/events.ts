import type { ServiceDialect } from './dialect.ts';
import { toOutwardId } from './ids.ts';
import type * as R from './records.ts';
import { findRecord } from './state.ts';
import type { Membership, Tracker, World } from './world.ts';

/**
 * What the sandbox tells webhooks: the `data` of each noun's events, without rates, since a receiver has no role. Nothing
 * of it is documented (docs/service.md, Deliveries).
 */

export const toMemberData = (world: World, { user_id, role, status, deleted_at }: Membership) => {
  const user = findRecord(world.users, user_id);
  return {
    id: user_id,
    email: user?.email ?? null,
    firstname: user?.firstname ?? null,
    lastname: user?.lastname ?? null,
    current_role: role,
    status,
    deleted_at,
  };
};

export const toTrackerData = (tracker: Tracker, stopped_at: string | null) => ({ ...tracker, stopped_at });

export const toProjectData = (project: R.Project) => ({
  id: project.id,
  name: project.name,
  owner_id: project.owner_id,
  start_date: project.start_date,
  deadline: project.deadline,
  is_billable: project.is_billable,
  status: project.deleted_at === null ? 1 : 0,
  created_at: project.created_at,
  updated_at: project.updated_at,
  deleted_at: project.deleted_at,
});

export const toContractData = ({ rate: _rate, rate_type: _type, ...contract }: R.Contract) => contract;

export const toTaskData = (task: R.Task) => ({ ...task });

export const toSheetData = (dialect: ServiceDialect, { total_minutes, ...sheet }: R.Timesheet) => ({
  ...sheet,
  id: toOutwardId(dialect, sheet.id),
  total_hours: total_minutes / 60,
});

/** Of a record whose id is text: leave requests, time requests. */
export const toRequestData = <T extends { readonly id: string }>(dialect: ServiceDialect, row: T) => ({
  ...row,
  id: toOutwardId(dialect, row.id),
});

export const toExpenseData = (dialect: ServiceDialect, expense: R.Expense) => ({
  ...expense,
  id: toOutwardId(dialect, expense.id),
  category_id: expense.category_id === null ? null : toOutwardId(dialect, expense.category_id),
});
