import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';

const columns: readonly Column[] = [
  { field: 'name' },
  { field: 'current', kind: 'state' },
  { field: 'base_url', title: 'address' },
  { field: 'workspace' },
  { field: 'signed_in', title: 'signed in' },
];

export const profileList = defineCommand({
  path: 'profile list',
  about: 'list the profiles',
  examples: ['ttctl profile list', 'ttctl profile list --output json'],
  prints: { shape: 'list', fields: columns.map(({ field }) => field) },
  flags: [...groupFlags],
  settings: 'mended',
  run: async ({ settings, settingsStore, credentials, output }) => {
    const { profiles } = settingsStore.read();
    const store = await credentials();
    const names = [...new Set([...Object.keys(profiles), 'sandbox'])].sort();
    const rows = names.map((name) => ({
      name,
      current: name === settings.profile.value,
      base_url: name === 'sandbox' ? 'embedded' : (profiles[name]?.base_url ?? null),
      workspace: profiles[name]?.workspace ?? null,
      signed_in: name === 'sandbox' || store.read(name) !== undefined,
    }));
    async function* pages() {
      yield { rows, total: rows.length };
    }
    await output.list(pages(), { noun: 'profiles', columns, id: 'name' });
  },
});
