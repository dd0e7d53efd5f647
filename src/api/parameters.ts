import { SCREENSHOTS } from '../resources/contract.ts';
import { RATE_STATUS } from '../resources/member.ts';
import { TASK_PRIORITY, TASK_STATUS } from '../resources/task.ts';
import type { Parameter, ParameterType } from './operation.ts';

/** Parameters that several rows of the table share, and the words to write others. */

export const a = <const T extends ParameterType>(type: T, about: string) => ({ type, about }) as const;
export const oneOf = <const C extends readonly string[]>(choices: C, about: string) =>
  ({ type: 'string', choices, about }) as const;
export const needed = <const P extends Parameter>(parameter: P) =>
  ({ ...parameter, required: true }) as const;
export const both = <const P extends Parameter>(parameter: P) => ({ ...parameter, place: 'both' }) as const;

export const email = a('email', 'e-mail address');
export const firstname = a('string', 'first name');
export const lastname = a('string', 'last name');
export const projectId = a('integer', 'project');
export const userId = a('integer', 'member it is for');
export const id = a('string', 'only the record with this id');
export const hoursLimit = { ...a('integer', 'weekly limit in hours'), min: 0 } as const;
export const rateStatus = {
  ...a('integer', 'visibility of the rate'),
  words: RATE_STATUS,
  min: 0,
  max: 1,
} as const;
export const range = {
  date_from: a('date', 'from this date, inclusive'),
  date_to: { ...a('date', 'up to this date, inclusive'), notBefore: 'date_from' },
} as const;
export const taskStatus = { ...a('integer', 'state of the task'), words: TASK_STATUS } as const;
export const taskPriority = { ...a('integer', 'priority of the task'), words: TASK_PRIORITY } as const;

export const projectBody = {
  start_date: a('date', 'first day'),
  deadline: { ...a('date', 'last day, not before the first'), notBefore: 'start_date' },
  estimation: { ...a('number', 'estimated hours'), min: 0, unit: 'hours' },
  budget: { ...a('number', 'budget'), min: 0 },
  notes: a('string', 'notes'),
  icon: a('string', 'icon'),
} as const;
export const contractBody = {
  weekly_hours_limit: hoursLimit,
  screenshots: oneOf(SCREENSHOTS, 'screenshot mode'),
  rate: { ...a('number', 'hourly rate'), min: 0 },
} as const;
export const taskBody = {
  description: a('string', 'description'),
  status: taskStatus,
  priority: taskPriority,
  start_date: a('date', 'first day'),
  end_date: { ...a('date', 'last day, not before the first'), notBefore: 'start_date' },
  assignees: a('integer[]', 'members to assign'),
} as const;
export const expenseBody = {
  expense_name: needed(a('string', 'name of the expense')),
  date: needed(a('date', 'day of the expense')),
  amount: needed({ ...a('number', 'amount'), min: 0 }),
  category_id: needed(a('string', 'expense category')),
  project_id: a('integer', 'project it belongs to'),
  note: a('string', 'note'),
  is_billable: a('boolean', 'billable to the client'),
} as const;
export const webhookBody = {
  url: needed(a('url', 'address that receives the events')),
  events: needed(a('string[]', 'event to subscribe to')),
} as const;
