import type { Command } from 'commander';
import type { Call } from '../../api/client.ts';
import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { type Each, each } from '../../bulk/each.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { allOption, filterOptions, operationCommand, periodOption, targetOptions } from '../command.ts';
import { isInState, timesheetWords } from './columns.ts';

const list = operations.timesheets.list;

/** A command that moves timesheets from one state to another: `submitted` → `approved`. */
export const decisionCommand = (
  name: string,
  operation: Operation,
  state: string,
  examples: readonly string[],
) =>
  filterOptions(targetOptions(operationCommand(name, operation, examples)), list, [
    'status',
    'date_from',
    'date_to',
    'id',
  ])
    .addOption(periodOption().helpGroup('Filters of --all:'))
    .addOption(allOption(`every ${state} timesheet that the filters match`))
    .argument('[id...]', 'ids of timesheets, or - for one a line on stdin') as Command;

interface Decision {
  readonly verb: Each['verb'];
  /** The state that a timesheet has to be in. */
  readonly state: 'open' | 'submitted';
  readonly asks: boolean;
  readonly targets: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly filters: Values;
  readonly call: (timesheetId: string) => Call;
}

/** Carries the move out over the named timesheets, or over all that the filters match and that are in that state. */
export const decide = async (
  context: Context,
  { state, options, filters, ...work }: Decision,
): Promise<void> => {
  if (filters.status !== undefined && filters.status !== state) {
    throw new UsageError(`only ${state} timesheets can be ${work.verb[1]}`, {
      hint: `Leave out --status, or say --status ${state}.`,
    });
  }
  const all = {
    pages: () => context.api.timesheets.list({ ...filters, status: state }).pages(),
    ready: (row: Row) => isInState(row, state),
    words: timesheetWords(context.names),
    load: (rows: readonly Row[]) => context.names.member.load(rows.map((row) => row.user_id)),
  };
  await each(context, { ...work, noun: ['timesheet', 'timesheets'], all }, options);
};
