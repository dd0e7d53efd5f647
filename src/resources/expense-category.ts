import { defineResource, text } from './resource.ts';

export const expenseCategory = defineResource({
  noun: 'expenses',
  words: ['expense category', 'expense categories'],
  fields: { id: text, name: text },
});
