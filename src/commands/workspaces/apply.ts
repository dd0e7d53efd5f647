import { defineCommand } from '../../cli/command.ts';
import { exitCodeFlag, historyFlag, planFlag, secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { maxChangesFlag } from '../target-flags.ts';

export const workspacesApply = defineCommand({
  path: 'workspaces apply',
  about: 'make the workspace match the files in a folder',
  examples: [
    'ttctl workspaces apply workspace --dry-run',
    'ttctl workspaces apply workspace --plan plan.ndjson',
    'ttctl workspaces apply workspace --yes --max-changes 50',
  ],
  more: [
    {
      title: 'Rows',
      text: 'A row with an id changes its record: only cells that differ are sent, and an empty cell leaves the value alone (none empties projects and assignees). A row without an id creates a record unless a matching one exists (see --if-missing of the create command); it may name projects and members that the same files create. A record without a row is reported, and left unchanged unless you pass --archive-missing.',
    },
    {
      title: 'People',
      text: 'people.csv adds members and their contracts, a row each: email, firstname, lastname, role, weekly_hours_limit (of the member), project, contract_weekly_hours_limit, rate. It is only read. Remove its rows once they are applied.',
    },
    {
      title: 'Order',
      text: 'Projects, people, contracts, tasks, assignments; archiving goes the other way. It is one job: jobs resume continues it, and ttctl undo <job> undoes what the API allows.',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  positionals: [{ name: 'folder', about: 'folder of the files', required: true }],
  flags: [
    {
      name: 'archive-missing',
      about: 'also archive records that the files have no row for (webhooks are deleted)',
      unsafe: true,
    },
    exitCodeFlag,
    planFlag,
    maxChangesFlag,
    secretsFlag,
    historyFlag,
  ],
  run: async (context, { targets: [folder = ''], options, program }) => {
    const { applyFolder } = await import('./apply-folder.ts');
    await applyFolder(context, folder, options, await program());
  },
});
