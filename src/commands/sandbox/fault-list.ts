import type { Page } from '../../api/page.ts';
import type { Column } from '../../context.ts';
import { type Door, run } from '../../run.ts';
import { groupOptions, localCommand } from '../command.ts';
import { faultFields } from './shown.ts';
import { urlOf, withUrl } from './target.ts';

export const faultColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'route', title: 'operation' },
  { field: 'fault' },
  { field: 'left', kind: 'number' },
  { field: 'times', title: 'of', kind: 'number' },
];

export const faultList = (door: Door) =>
  groupOptions(
    withUrl(
      localCommand('list', 'list the faults of the sandbox, and how many calls each still meets', {
        examples: ['ttctl sandbox fault list', 'ttctl sandbox fault list --output json'],
        prints: { shape: 'list', fields: faultFields },
        exits: [7],
      }),
    ),
  ).action(
    run(door, async ({ sandbox, output }, _targets, options) => {
      const rows = (await (await sandbox()).control(urlOf(options)).faults()).map((row) => ({ ...row }));
      const pages = async function* (): AsyncGenerator<Page> {
        yield { rows, total: rows.length };
      };
      await output.list(pages(), { noun: 'faults', columns: faultColumns });
    }),
  );
