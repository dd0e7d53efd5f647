import { defineGroup } from '../../cli/command.ts';
import { EXIT } from '../../errors.ts';
import { stringifyJson } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { groupFlags } from '../flags.ts';
import { defineList, defineRecord, KEEPS_NOTHING } from './verb.ts';

const snapshotColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'seed' },
  { field: 'saved_at', title: 'saved at', kind: 'age' },
  { field: 'now', title: "sandbox's time", kind: 'time', drop: 1 },
  { field: 'problem', sparse: true },
];

const snapshotName = { name: 'name', about: 'name of the snapshot', required: true } as const;

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

export const sandboxSnapshot = defineGroup('sandbox snapshot', 'save and restore the state of the sandbox', [
  defineRecord({
    path: 'snapshot save',
    about: 'save the whole state: records, tokens, faults, pending deliveries, the clock',
    examples: [
      'ttctl sandbox snapshot save before-approval',
      'ttctl sandbox snapshot save before-approval --replace',
    ],
    positionals: [
      { name: 'name', about: 'lower-case letters, digits, dots, dashes, underscores', required: true },
    ],
    flags: [{ name: 'replace', about: 'replace an existing snapshot', unsafe: true }],
    columns: [{ field: 'saved' }, ...snapshotColumns],
    inspect: 'snapshot list',
    change: async ({ control, targets: [name = ''], options }) => ({
      record: {
        ...(await control.saveSnapshot({ name, replace: options.replace === true })),
        saved: true,
      },
      text: `snapshot ${name} was saved`,
    }),
  }),
  defineRecord({
    path: 'snapshot restore',
    about: 'restore the whole state; the current state is lost',
    examples: ['ttctl sandbox snapshot restore before-approval'],
    exits: [5, 7],
    more: [KEEPS_NOTHING],
    positionals: [snapshotName],
    columns: [{ field: 'restored' }, ...snapshotColumns],
    change: async ({ control, targets: [name = ''], context: { output, commandLine } }) => {
      const row = await control.restoreSnapshot({ name });
      const { ahead_seconds: ahead } = await control.clock();
      const clock = `The clock continues from ${row.now}. To use the time of this machine: ${commandLine`ttctl sandbox clock reset`}`;
      return {
        record: { ...row, restored: true },
        text: `snapshot ${name} was restored`,
        next: () => ahead !== 0 && output.note(clock),
      };
    },
  }),
  defineList({
    path: 'snapshot list',
    about: 'list the snapshots',
    examples: ['ttctl sandbox snapshot list', 'ttctl sandbox snapshot list --output json'],
    flags: groupFlags,
    noun: 'snapshots',
    columns: snapshotColumns,
    id: 'name',
    list: ({ control }) => control.snapshots(),
  }),
  defineList({
    path: 'snapshot diff',
    about: 'list changes since a snapshot, or between two snapshots',
    examples: [
      'ttctl sandbox snapshot diff before-approval',
      'ttctl sandbox snapshot diff before-approval after-approval --output json',
    ],
    exits: [5, 7, 10],
    positionals: [
      snapshotName,
      { name: 'other', about: 'snapshot to compare with (default: the current state)', required: false },
    ],
    noun: 'differences',
    columns: [
      { field: 'kind' },
      { field: 'change' },
      {
        field: 'fields',
        title: 'what',
        sparse: true,
        // Of a record that came or went, its kind and id say enough.
        show: ({ fields, change }) =>
          (Array.isArray(fields) && change === 'changed' ? fields : [])
            .map(({ field, before, after }) => `${field}: ${formatValue(before)} → ${formatValue(after)}`)
            .join(', ') || null,
      },
      { field: 'id', drop: 1 },
      { field: 'workspace_id', title: 'workspace', drop: 2 },
    ],
    list: ({ control, targets: [name = '', other] }) => control.diffSnapshot({ name, other }),
    after: (rows, { exit }) => rows.length > 0 && exit(EXIT.found),
  }),
  defineRecord({
    path: 'snapshot remove',
    about: 'remove a snapshot',
    examples: ['ttctl sandbox snapshot remove before-approval'],
    exits: [5, 7],
    positionals: [snapshotName],
    fields: ['name', 'removed'],
    inspect: 'snapshot list',
    change: async ({ control, targets: [name = ''] }) => ({
      record: { name: (await control.removeSnapshot({ name })).name, removed: true },
      text: `snapshot ${name} was removed`,
    }),
  }),
]);
