import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';
import { urlFlag } from './target.ts';

export const tokenColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'member' },
  { field: 'kind', drop: 2 },
  { field: 'scopes', kind: 'list' },
  { field: 'status', kind: 'state' },
  { field: 'created_at', title: 'created', kind: 'time', drop: 3 },
  { field: 'expires_at', title: 'expires', kind: 'time', drop: 1 },
  { field: 'id' },
];

export const tokenFields = tokenColumns.map(({ field }) => field);

export const tokenList = defineCommand({
  path: 'sandbox token list',
  about: 'list the tokens of the sandbox, without their secrets',
  examples: ['ttctl sandbox token list', 'ttctl sandbox token list --output json'],
  prints: { shape: 'list', fields: tokenFields },
  exits: [7],
  flags: [urlFlag, ...groupFlags],
  run: async ({ sandbox, output }, { options }) => {
    const rows = (await (await sandbox()).control(options.url).tokens()).map((row) => ({ ...row }));
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'tokens', columns: tokenColumns });
  },
});
