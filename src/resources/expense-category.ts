import { text } from './fields.ts';
import { defineResource } from './resource.ts';

export const expenseCategory = defineResource({
  noun: 'expenses',
  words: ['expense category', 'expense categories'],
  fields: { id: text, name: text },
});
