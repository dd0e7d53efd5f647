import { type Command, Option } from 'commander';
import type { operations } from '../../api/operations.ts';
import { flag } from '../options.ts';

type Write = typeof operations.expenses.create | typeof operations.expenses.update;

/** The fields of an expense as flags, the same for create and update. */
export const bodyOptions = (command: Command, operation: Write): Command =>
  command
    .addOption(flag(operation, 'expense_name', { as: 'name' }))
    .addOption(flag(operation, 'date'))
    .addOption(flag(operation, 'amount'))
    .addOption(flag(operation, 'category_id', { as: 'category', lookup: 'category' }))
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(flag(operation, 'note'))
    .addOption(flag(operation, 'is_billable', { as: 'billable' }))
    .addOption(new Option('--no-billable', 'do not bill it'));
