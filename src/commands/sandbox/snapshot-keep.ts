import { defineCommand } from '../../cli/command.ts';
import { fateColumns, snapshotFields } from './snapshot-list.ts';
import { urlFlag } from './target.ts';

/** What became of a snapshot, beside the snapshot itself; `planned` with --dry-run. */
export const fate = (name: 'saved' | 'restored' | 'removed', plan: boolean) =>
  plan ? { [name]: false, planned: true } : { [name]: true };

export const snapshotSave = defineCommand({
  path: 'sandbox snapshot save',
  about: 'save the whole state: records, tokens, faults, webhooks that wait, the clock',
  examples: [
    'ttctl sandbox snapshot save before-approval',
    'ttctl sandbox snapshot save before-approval --replace',
  ],
  prints: { shape: 'record', fields: [...snapshotFields, 'saved'] },
  exits: [7],
  positionals: [
    { name: 'name', about: 'lower-case letters, digits, dots, dashes, underscores', required: true },
  ],
  flags: [urlFlag, { name: 'replace', about: 'in place of the one of this name', unsafe: true }],
  run: async ({ sandbox, output, settings }, { targets: [name = ''], options }) => {
    const { snapshots } = (await sandbox()).control(options.url);
    const plan = settings.dryRun.value;
    const row = await snapshots.save(name, { replace: options.replace === true, plan });
    await output.record({ ...row, ...fate('saved', plan) }, [{ field: 'saved' }, ...fateColumns]);
  },
});

export const snapshotRemove = defineCommand({
  path: 'sandbox snapshot remove',
  about: 'forget a snapshot',
  examples: ['ttctl sandbox snapshot remove before-approval'],
  prints: { shape: 'record', fields: ['name', 'removed'] },
  exits: [5, 7],
  positionals: [{ name: 'name', about: 'of the snapshot', required: true }],
  flags: [urlFlag],
  run: async ({ sandbox, output, settings }, { targets: [name = ''], options }) => {
    const { snapshots } = (await sandbox()).control(options.url);
    const plan = settings.dryRun.value;
    const { name: removed } = await snapshots.remove(name, plan);
    await output.record({ name: removed, ...fate('removed', plan) });
  },
});
