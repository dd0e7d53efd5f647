import { contractFields } from './contract.ts';
import { expenseFields } from './expense.ts';
import { expenseCategoryFields } from './expense-category.ts';
import type { RecordOf } from './fields.ts';
import { leaveBalanceFields, leaveFields } from './leave.ts';
import { leavePolicyFields } from './leave-policy.ts';
import { invitationFields, memberFields } from './member.ts';
import { projectFields } from './project.ts';
import { assigneeFields, taskFields } from './task.ts';
import { timeRequestFields } from './time-request.ts';
import { stoppedFields } from './time-tracking.ts';
import { timesheetFields } from './timesheet.ts';
import { viewerFields } from './viewer.ts';
import { webhookFields } from './webhook.ts';
import { workspaceFields } from './workspace.ts';

/** The records of the service by the names of their schemas. */
export const RECORDS = {
  Workspace: workspaceFields,
  Member: memberFields,
  Invitation: invitationFields,
  Viewer: viewerFields,
  Project: projectFields,
  Contract: contractFields,
  Task: taskFields,
  Assignee: assigneeFields,
  Timesheet: timesheetFields,
  Leave: leaveFields,
  LeaveBalance: leaveBalanceFields,
  LeavePolicy: leavePolicyFields,
  TimeRequest: timeRequestFields,
  Expense: expenseFields,
  ExpenseCategory: expenseCategoryFields,
  Stopped: stoppedFields,
  Webhook: webhookFields,
} as const;

export type RecordName = keyof typeof RECORDS;
export type Records = { readonly [Name in RecordName]: RecordOf<(typeof RECORDS)[Name]> };
