import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { createRecordColumns } from '../../resources/display/columns.ts';
import { memberDetails } from '../../resources/member/columns.ts';
import { readFlags } from '../flags.ts';

const operation = operations.members.get;

export const membersGet = defineCommand({
  path: 'members get',
  operation,
  examples: ['ttctl members get 17', 'ttctl members get ana@example.com --output json'],
  positionals: [{ name: 'member', about: 'id, e-mail address or full name', required: true }],
  flags: [...readFlags(operation)],
  run: async ({ api, lookUps, output }, { values, targets: [member = ''] }) => {
    const call = api.members.get({ ...values, memberId: await lookUps.find('member', member) });
    const { data } = await call.send();
    const record = data as Row;
    await output.record(record, createRecordColumns(record, memberDetails));
  },
});
