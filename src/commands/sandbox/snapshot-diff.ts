import type { ListPage, Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { EXIT } from '../../outcome.ts';
import { urlFlag } from './target.ts';

const format = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

/** `status: open → submitted`; of a record that came or went, its kind and id say enough. */
const formatChanges = ({ fields, change }: Row): string | null =>
  (Array.isArray(fields) && change === 'changed' ? fields : [])
    .map(({ field, before, after }) => `${field}: ${format(before)} → ${format(after)}`)
    .join(', ') || null;

const columns: readonly Column[] = [
  { field: 'kind' },
  { field: 'change' },
  { field: 'fields', title: 'what', show: formatChanges, sparse: true },
  { field: 'id', drop: 1 },
  { field: 'workspace_id', title: 'workspace', drop: 2 },
];

const diffFields = ['kind', 'id', 'change', 'workspace_id', 'fields'];

export const snapshotDiff = defineCommand({
  path: 'sandbox snapshot diff',
  about: 'list changes since a snapshot, or between two snapshots',
  examples: [
    'ttctl sandbox snapshot diff before-approval',
    'ttctl sandbox snapshot diff before-approval after-approval --output json',
  ],
  prints: { shape: 'list', fields: diffFields },
  exits: [5, 7, 10],
  positionals: [
    { name: 'name', about: 'name of the snapshot', required: true },
    { name: 'other', about: 'snapshot to compare with (default: the current state)', required: false },
  ],
  flags: [urlFlag],
  run: async ({ sandbox, output, exit }, { targets: [name = '', other], options }) => {
    const control = (await sandbox()).control(options.url);
    const rows = (await control.diffSnapshot({ name, other })).map((row) => ({ ...row }));
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'differences', columns });
    if (rows.length > 0) exit(EXIT.found);
  },
});
