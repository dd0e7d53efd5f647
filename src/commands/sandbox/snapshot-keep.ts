import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { snapshotColumns, snapshotFields } from './snapshot-list.ts';
import { formatInspect, urlFlag } from './target.ts';

export const snapshotSave = defineCommand({
  path: 'sandbox snapshot save',
  about: 'save the whole state: records, tokens, faults, pending deliveries, the clock',
  examples: [
    'ttctl sandbox snapshot save before-approval',
    'ttctl sandbox snapshot save before-approval --replace',
  ],
  prints: { shape: 'record', fields: [...snapshotFields, 'saved'] },
  exits: [7],
  positionals: [
    { name: 'name', about: 'lower-case letters, digits, dots, dashes, underscores', required: true },
  ],
  flags: [urlFlag, { name: 'replace', about: 'replace an existing snapshot', unsafe: true }],
  run: async (context, { targets: [name = ''], options }) => {
    const control = (await context.sandbox()).control(options.url);
    const row = await control.saveSnapshot({ name, replace: options.replace === true });
    await printLocalChange(context, {
      record: { ...row, saved: true },
      columns: [{ field: 'saved' }, ...snapshotColumns],
      text: `snapshot ${name} was saved`,
      inspectLine: formatInspect('snapshot list', options),
    });
  },
});

export const snapshotRemove = defineCommand({
  path: 'sandbox snapshot remove',
  about: 'remove a snapshot',
  examples: ['ttctl sandbox snapshot remove before-approval'],
  prints: { shape: 'record', fields: ['name', 'removed'] },
  exits: [5, 7],
  positionals: [{ name: 'name', about: 'name of the snapshot', required: true }],
  flags: [urlFlag],
  run: async (context, { targets: [name = ''], options }) => {
    const control = (await context.sandbox()).control(options.url);
    const { name: removed } = await control.removeSnapshot({ name });
    await printLocalChange(context, {
      record: { name: removed, removed: true },
      text: `snapshot ${name} was removed`,
      inspectLine: formatInspect('snapshot list', options),
    });
  },
});
