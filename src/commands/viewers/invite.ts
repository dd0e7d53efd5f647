import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { flag, positional } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.viewers.invite;

export const viewersInvite = defineCommand({
  path: 'viewers invite',
  operation,
  examples: ['ttctl viewers invite eve@client.example --firstname Eve --lastname Okafor'],
  positionals: [positional(operation, 'email', 'e-mail address to invite')],
  flags: [
    ...targetFlags(operation, 'this address'),
    flag(operation, 'firstname'),
    flag(operation, 'lastname'),
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['invite', 'invited'],
      noun: viewer.words,
      values,
      call: (_, row) => context.api.viewers.invite(row),
      target: ({ email }) => email,
      once: true,
      columns: viewerColumns,
      hint: ({ id }) =>
        `The viewer cannot see anything yet. Assign a project: ${context.commandLine`ttctl viewers assign ${id ?? values.email} --project <project>`}`,
    });
  },
});
