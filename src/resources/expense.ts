import { number, text } from './fields.ts';

export const expenseFields = {
  id: text,
  member: text,
  expense_name: text,
  expense_date: text,
  project: text,
  category: text,
  amount: number,
  note: text,
  type: text,
  added_dte: text,
} as const;
