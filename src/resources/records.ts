import { contract } from './contract.ts';
import { expense, expenseCategory } from './expense.ts';
import { leave, leaveBalanceFields, leavePolicy } from './leave.ts';
import { invitationFields, member } from './member.ts';
import { project } from './project.ts';
import { datetime, type FieldsRecord, type Resource, type Transition } from './resource.ts';
import { assigneeFields, task } from './task.ts';
import { timeRequest } from './time-request.ts';
import { timesheet } from './timesheet.ts';
import { viewer } from './viewer.ts';
import { webhook } from './webhook.ts';
import { workspace } from './workspace.ts';

const stoppedFields = { stopped_at: datetime } as const;

/** The records of the service by the names of their schemas. */
export const RECORDS = {
  Workspace: workspace.fields,
  Member: member.fields,
  Invitation: invitationFields,
  Viewer: viewer.fields,
  Project: project.fields,
  Contract: contract.fields,
  Task: task.fields,
  Assignee: assigneeFields,
  Timesheet: timesheet.fields,
  Leave: leave.fields,
  LeaveBalance: leaveBalanceFields,
  LeavePolicy: leavePolicy.fields,
  TimeRequest: timeRequest.fields,
  Expense: expense.fields,
  ExpenseCategory: expenseCategory.fields,
  Stopped: stoppedFields,
  Webhook: webhook.fields,
} as const;

const RESOURCES: readonly Resource[] = [
  member,
  viewer,
  project,
  contract,
  task,
  timesheet,
  leave,
  timeRequest,
  expense,
  webhook,
];

/** By the noun of its commands. */
export const findResource = (noun: string): Resource | undefined =>
  RESOURCES.find((resource) => resource.noun === noun);

export type RecordName = keyof typeof RECORDS;
export type ServiceRecords = { readonly [Name in RecordName]: FieldsRecord<(typeof RECORDS)[Name]> };

/** What an operation does to the state of its records, by its id: `timesheets.approve`; undefined where nothing. */
export const findTransition = (
  id: string,
): { readonly resource: Resource; readonly transition: Transition } | undefined => {
  const [noun = '', verb = ''] = id.split('.');
  const resource = findResource(noun);
  const transition = resource?.transitions?.[verb];
  return resource && transition && { resource, transition };
};
