import type { ListPage, Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { EXIT } from '../../outcome.ts';
import { urlFlag } from './target.ts';

const format = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

/** What tells a record from others of its kind. */
const KEY_FIELDS = [
  ...['role', 'event', 'status', 'date_from', 'date_to', 'start_date', 'end_date', 'start', 'end'],
  ...['date', 'amount', 'total_minutes', 'scopes'],
];

/** `status: open → submitted`; of a record that is new or gone, what it is. */
const formatChanges = ({ fields, record }: Row): string | null => {
  const all = Array.isArray(fields) ? fields : [];
  const values: Row = { ...(record as Row | null) };
  const shown = KEY_FIELDS.filter((name) => values[name] !== undefined && values[name] !== null);
  if (all.length === 0) return shown.map((name) => format(values[name])).join(', ') || null;
  return all.map(({ field, before, after }) => `${field}: ${format(before)} → ${format(after)}`).join(', ');
};

const columns: readonly Column[] = [
  { field: 'kind' },
  { field: 'change' },
  { field: 'name', drop: 1 },
  { field: 'fields', title: 'what', show: formatChanges, sparse: true },
  { field: 'id', drop: 2 },
  { field: 'workspace_id', title: 'workspace', drop: 3 },
];

const diffFields = ['kind', 'id', 'change', 'name', 'workspace_id', 'fields', 'record'];

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
