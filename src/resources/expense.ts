import { defineResource, number, text, withDisplay } from './resource.ts';

export const expense = defineResource({
  noun: 'expenses',
  words: ['expense', 'expenses'],
  fields: {
    id: text,
    member: text,
    expense_name: withDisplay(text, { title: 'name' }),
    expense_date: withDisplay(text, { title: 'date', kind: 'date' }),
    project: text,
    category: text,
    amount: withDisplay(number, { kind: 'money' }),
    note: text,
    type: withDisplay(text, { title: 'billing' }),
    added_dte: withDisplay(text, { title: 'added', kind: 'date' }),
  },
});
