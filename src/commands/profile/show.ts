import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { listSettingRows } from './setting-rows.ts';

const columns: readonly Column[] = [
  { field: 'setting' },
  { field: 'value', least: 12 },
  { field: 'from', drop: 1 },
  { field: 'source', drop: 2 },
];

export const profileShow = defineCommand({
  path: 'profile show',
  about: 'show the current settings and their sources',
  examples: ['ttctl profile show', 'ttctl profile show --profile work --output json'],
  prints: { shape: 'list', fields: columns.map(({ field }) => field) },
  settings: 'mended',
  run: async (context) => {
    const rows = listSettingRows(context);
    async function* pages() {
      yield { rows, total: rows.length };
    }
    await context.output.list(pages(), {
      noun: 'settings',
      columns,
      id: 'setting',
    });
    const [unused] = context.settings.unusedAddresses;
    if (unused !== undefined)
      context.output.note(`${unused} is not used: the profile sandbox is built in and has no address.`);
    context.output.note(`Settings file: ${context.settingsStore.file ?? 'none'}`);
  },
});
