import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { timeRequestColumns } from '../../resources/time-request/columns.ts';
import { listFlags, periodFlag } from '../flags.ts';
import { decidableTimeRequest } from './decidable.ts';

const operation = operations.timeRequests.list;

export const timeRequestsList = defineCommand({
  path: 'time-requests list',
  operation,
  examples: [
    'ttctl time-requests list --status pending',
    'ttctl time-requests list --member ana@example.com --period last-month',
  ],
  flags: [...listFlags(operation), ...decidableTimeRequest.filters, periodFlag],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.timeRequests.list(values).pages(window), {
      noun: decidableTimeRequest.resource.words[1],
      columns: timeRequestColumns(names, values.status !== undefined),
    });
  },
});
