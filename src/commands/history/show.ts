import { ENTRY_FIELDS, toEntryRecord } from '../../changes/history/entries.ts';
import { findEntries, findEntryId } from '../../changes/history/find-entries.ts';
import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { createChangeColumn } from '../change-column.ts';

export const historyShow = defineCommand({
  path: 'history show',
  about: 'show one write: who, when, what it changed',
  examples: [
    'ttctl history show 20261121-0900-kfm-3',
    'ttctl history show 20261121-0900-kfm-3 --output json',
  ],
  prints: { shape: 'record', fields: ENTRY_FIELDS },
  positionals: [{ name: 'entry', about: 'id of the entry', required: true }],
  run: async (context, { targets: [text = ''] }) => {
    const id = await findEntryId(context, text);
    const { entries } = findEntries(await context.jobs(), id);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) {
      throw new UsageError(`${id} is a run of ${entries.length} writes`, {
        code: 'no_entry',
        hint: `List them: ${commandLine`ttctl history list --run ${id}`}`,
      });
    }
    const hidden = new Set(['before', 'after', 'request_id', 'run']);
    const shown = ENTRY_FIELDS.filter((field) => !hidden.has(field)).map((field) =>
      field === 'time' ? ({ field, kind: 'time' } as const) : { field },
    );
    const change = createChangeColumn(context);
    await context.output.record(toEntryRecord(entry), [...shown, change]);
  },
});
