import { text } from './fields.ts';

export const expenseCategoryFields = { id: text, name: text } as const;
