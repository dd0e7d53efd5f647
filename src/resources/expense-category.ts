import { text } from './fields.ts';
import { resource } from './resource.ts';

export const expenseCategory = resource({
  noun: 'expenses',
  words: ['expense category', 'expense categories'],
  fields: { id: text, name: text },
});
