import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { rowsOf } from './setting-rows.ts';

const fields = ['setting', 'value', 'from', 'source'];

export const profileShow = (door: Door) =>
  localCommand('show', 'show the settings in force, and where each comes from', {
    examples: ['ttctl profile show', 'ttctl profile show --profile work --output json'],
    prints: { shape: 'list', fields },
  }).action(
    run(door, async (context) => {
      const rows = rowsOf(context);
      async function* pages() {
        yield { rows, total: rows.length };
      }
      await context.output.list(pages(), {
        noun: 'settings',
        columns: fields.map((field) => ({ field })),
        id: 'setting',
      });
      context.output.note(`settings file: ${context.settingsStore.file ?? 'none'}`);
    }),
  );
