import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { defineCommand } from '../../cli/command.ts';
import { timeRequestDetails, timeRequestWords } from '../../resources/time-request/columns.ts';
import { readFlags, zoneFlag } from '../flags.ts';

const operation = operations.timeRequests.get;

export const timeRequestsGet = defineCommand({
  path: 'time-requests get',
  operation,
  examples: ['ttctl time-requests get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  positionals: [{ name: 'id', about: 'id of the request', required: true }],
  flags: [...readFlags(operation), zoneFlag],
  run: async (context, { values, targets: [target = ''] }) => {
    const { api, names, output } = context;
    api.timeRequests.get({ ...values, id: target }).check('written');
    const id = await createIdFinder(
      context,
      () => api.timeRequests.list({}).pages(),
      timeRequestWords(names),
    )(target);
    const { data } = await api.timeRequests.get({ ...values, id }).send();
    await output.record(data as Row, timeRequestDetails(names));
  },
});
