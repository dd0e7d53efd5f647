import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { createRecordColumns } from '../../resources/display/columns.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { readFlags } from '../flags.ts';

const operation = operations.viewers.get;

export const viewersGet = defineCommand({
  path: 'viewers get',
  operation,
  examples: ['ttctl viewers get 17', 'ttctl viewers get ana@example.com --output json'],
  positionals: [{ name: 'viewer', about: 'id, e-mail address or full name', required: true }],
  flags: [...readFlags(operation)],
  run: async ({ api, lookUps, output }, { values, targets: [viewer = ''] }) => {
    const viewerId = await lookUps.find('viewer', viewer);
    const { data } = await api.viewers.get({ ...values, viewerId }).send();
    const record = data as Row;
    await output.record(record, createRecordColumns(record, viewerColumns));
  },
});
