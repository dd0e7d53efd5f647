import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { findLoopbackRedirectProblem } from '../../parsing/address.ts';
import { groupFlags } from '../flags.ts';
import { urlFlag } from './target.ts';

const columns: readonly Column[] = [
  { field: 'client_id' },
  { field: 'name' },
  { field: 'grant' },
  { field: 'redirect_uri', title: 'redirect URI' },
  { field: 'member', title: 'registered by', drop: 2 },
  { field: 'created_at', title: 'created', kind: 'time', drop: 1 },
];

/** What is said of an application that was registered just now. */
export const describeIssuedApp = ({
  redirect_uri: uri,
}: {
  readonly redirect_uri: string | null;
}): readonly string[] => {
  const problem = uri === null ? undefined : findLoopbackRedirectProblem(uri);
  const warning = `Its redirect URI ${problem}: ttctl auth login cannot use this application.`;
  return ['The secret is not shown again.', ...(problem === undefined ? [] : [warning])];
};

export const appList = defineCommand({
  path: 'sandbox app list',
  about: 'list the OAuth2 applications of the sandbox',
  examples: ['ttctl sandbox app list', 'ttctl sandbox app list --output json'],
  prints: { shape: 'list', fields: columns.map(({ field }) => field) },
  exits: [7],
  flags: [urlFlag, ...groupFlags],
  run: async ({ sandbox, output }, { options }) => {
    const rows = (await (await sandbox()).control(options.url).apps()).map((row) => ({ ...row }));
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'applications', columns, id: 'client_id' });
    const demo = rows.some(({ client_id }) => client_id === 'sbx_app_demo');
    if (demo) output.note('The secret of sbx_app_demo is sbx_secret_demo.');
  },
});
