import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT } from '../../outcome.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import type { MatchedFolder } from './folder.ts';

export const workspacesDiff = defineCommand({
  path: 'workspaces diff',
  about: 'show how the workspace differs from the files of a folder (exit 10 if it does)',
  examples: ['ttctl workspaces diff workspace', 'ttctl workspaces diff workspace --output json'],
  more: [
    {
      title: 'What is compared',
      entries: [
        [
          'changed',
          'a cell differs from the record; before is the value in the service, after the one in the file',
        ],
        ['new', 'a row without a counterpart: apply would create the record'],
        ['missing', 'a record that the file has no row for: apply leaves it alone'],
        ['gone', 'a row whose record is not there, or is archived'],
      ],
    },
    {
      title: 'Files',
      text: 'A file or a column that the folder does not have is not compared. Names next to ids are only for readers: the id decides.',
    },
  ],
  prints: {
    shape: 'list',
    fields: ['file', 'line', 'id', 'record', 'status', 'field', 'before', 'after'],
  },
  exits: [...SERVICE_EXITS, 10],
  positionals: [{ name: 'folder', about: 'folder of the files', required: true }],
  run: async (context, { targets: [folder = ''], program }) => {
    const { matchFolder } = await import('./folder.ts');
    // A name that nothing has is that of a record which is gone: the row is told as a difference.
    const rows = listDifferences(await matchFolder(context, folder, await program()));
    async function* pages() {
      yield { rows, total: rows.length };
    }
    await context.output.list(pages(), {
      noun: 'differences',
      id: 'record',
      columns: COLUMNS,
      emptyMessage: `The workspace matches the files in ${folder}.`,
    });
    if (rows.length > 0) context.exit(EXIT.found);
  },
});

const COLUMNS = [
  { field: 'file' },
  { field: 'line', kind: 'number', sparse: true },
  { field: 'record', least: 12 },
  { field: 'status', kind: 'state' },
  { field: 'field', sparse: true },
  { field: 'before', sparse: true, wrap: true },
  { field: 'after', sparse: true, wrap: true },
  { field: 'id', drop: 1 },
] as const;

/** In the order of the files and their rows. */
function listDifferences({ sheets }: MatchedFolder): readonly Row[] {
  return sheets.flatMap(({ file, rows, missing }) => {
    const base = { file: `${file.noun}.csv`, line: null, id: null, field: null, before: null, after: null };
    const differing = rows.flatMap(({ line, id = null, record, label, differences }): Row[] => {
      const about = { ...base, line, record: label };
      if (record === undefined) return [{ ...about, id, status: id === null ? 'new' : 'gone' }];
      return differences.map((cell) => ({ ...about, id: toText(record['id']), status: 'changed', ...cell }));
    });
    const absent = missing.map(({ record, label }) => ({
      ...base,
      id: toText(record['id']),
      record: label,
      status: 'missing',
    }));
    return [...differing, ...absent];
  });
}
