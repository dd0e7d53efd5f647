import { number, shown, text } from './fields.ts';
import { resource } from './resource.ts';

export const expense = resource({
  noun: 'expenses',
  words: ['expense', 'expenses'],
  fields: {
    id: text,
    member: text,
    expense_name: shown(text, { title: 'name' }),
    expense_date: shown(text, { title: 'date', kind: 'date' }),
    project: text,
    category: text,
    amount: shown(number, { kind: 'money' }),
    note: text,
    type: shown(text, { title: 'billing' }),
    added_dte: shown(text, { title: 'added', kind: 'date' }),
  },
});
