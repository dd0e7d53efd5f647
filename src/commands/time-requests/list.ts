import { operations } from '../../api/operations.ts';
import { timeRequestColumns } from '../../resources/time-request/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { filtered } from '../decide.ts';
import { timeRequest } from './matter.ts';

const operation = operations.timeRequests.list;

export const timeRequestsList = (door: Door) =>
  filtered(
    listOptions(
      operationCommand('list', operation, [
        'ttctl time-requests list --status pending',
        'ttctl time-requests list --member ana@example.com --period last-month',
      ]),
    ),
    timeRequest,
  ).action(
    runOperation(door, operation, async ({ api, names, output, window }, values) => {
      await output.list(api.timeRequests.list(values).pages(window), {
        noun: timeRequest.resource.words[1],
        columns: timeRequestColumns(names, values.status !== undefined),
      });
    }),
  );
