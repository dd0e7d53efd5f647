import { defineResource, number, text, withDisplay } from './resource.ts';

/** The words of a record for `is_billable`. */
const BILLING = { billable: true, 'non-billable': false } as const;

export const expense = defineResource({
  noun: 'expenses',
  words: ['expense', 'expenses'],
  decisive: ['expense_name', 'expense_date', 'amount'],
  shownAs: { date: 'expense_date', category_id: 'category', project_id: 'project', is_billable: 'type' },
  written: { type: BILLING },
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

export const expenseCategory = defineResource({
  noun: 'expenses',
  words: ['expense category', 'expense categories'],
  fields: { id: text, name: text },
});
