import { SCREENSHOTS } from '../resources/contract.ts';
import { RATE_STATUS } from '../resources/member.ts';
import { TASK_PRIORITY, TASK_STATUS } from '../resources/task.ts';
import type { Parameter, ParameterType } from './operation.ts';

/** Parameters that several rows of the table share, and the words to write others. */

export const param = <const T extends ParameterType>(type: T, about: string) => ({ type, about }) as const;
export const choiceParam = <const C extends readonly string[]>(choices: C, about: string) =>
  ({ type: 'string', choices, about }) as const;
export const required = <const P extends Parameter>(parameter: P) =>
  ({ ...parameter, required: true }) as const;
export const inQueryAndBody = <const P extends Parameter>(parameter: P) =>
  ({ ...parameter, place: 'both' }) as const;

export const email = param('email', 'e-mail address');
export const firstname = param('string', 'first name');
export const lastname = param('string', 'last name');
export const projectId = param('integer', 'project');
export const userId = param('integer', 'member it is for');
export const id = param('string', 'only the record with this id');
export const hoursLimit = { ...param('integer', 'weekly limit in hours'), min: 0 } as const;
export const rateStatus = {
  ...param('integer', 'visibility of the rate'),
  words: RATE_STATUS,
  min: 0,
  max: 1,
} as const;
export const dateRange = {
  date_from: param('date', 'from this date, inclusive'),
  date_to: { ...param('date', 'up to this date, inclusive'), notBefore: 'date_from' },
} as const;
export const taskStatus = { ...param('integer', 'state of the task'), words: TASK_STATUS } as const;
export const taskPriority = { ...param('integer', 'priority of the task'), words: TASK_PRIORITY } as const;

export const projectBody = {
  start_date: param('date', 'first day'),
  deadline: { ...param('date', 'last day, not before the first'), notBefore: 'start_date' },
  estimation: { ...param('number', 'estimated hours'), min: 0, unit: 'hours' },
  budget: { ...param('number', 'budget'), min: 0 },
  notes: param('string', 'notes'),
  icon: param('string', 'icon'),
} as const;
export const contractBody = {
  weekly_hours_limit: hoursLimit,
  screenshots: choiceParam(SCREENSHOTS, 'screenshot mode'),
  rate: { ...param('number', 'hourly rate'), min: 0 },
} as const;
export const taskBody = {
  description: param('string', 'description'),
  status: taskStatus,
  priority: taskPriority,
  start_date: param('date', 'first day'),
  end_date: { ...param('date', 'last day, not before the first'), notBefore: 'start_date' },
  assignees: param('integer[]', 'members to assign'),
} as const;
export const expenseBody = {
  expense_name: required(param('string', 'name of the expense')),
  date: required(param('date', 'day of the expense')),
  amount: required({ ...param('number', 'amount'), min: 0 }),
  category_id: required(param('string', 'expense category')),
  project_id: param('integer', 'project it belongs to'),
  note: param('string', 'note'),
  is_billable: param('boolean', 'billable to the client'),
} as const;
export const webhookBody = {
  url: required(param('url', 'address that receives the events')),
  events: required(param('string[]', 'event to subscribe to')),
} as const;
