import { number, text } from './fields.ts';
import { resource } from './resource.ts';

export const expense = resource({
  noun: 'expenses',
  words: ['expense', 'expenses'],
  fields: {
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
  },
});
