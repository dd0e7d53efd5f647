import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { listSettings, type SettingName } from '../../config/settings.ts';
import type { Column, Context } from '../../context.ts';

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
    const { settings, output, settingsStore } = context;
    const { value, from, name } = settings.profile;
    const rows: Row[] = [{ setting: 'profile', value, from, source: from === 'default' ? null : name }];
    for (const [setting, { member, shown, variable = '' }] of listSettings())
      if (member !== undefined || shown === true) rows.push(describeSetting(context, setting, variable));
    async function* pages() {
      yield { rows, total: rows.length };
    }
    await output.list(pages(), { noun: 'settings', columns, id: 'setting' });
    const [unused] = settings.unusedAddresses;
    if (unused !== undefined)
      output.note(`${unused} is not used: the profile sandbox is built in and has no address.`);
    output.note(`Settings file: ${settingsStore.file ?? 'none'}`);
  },
});

function describeSetting({ settings, timeZone }: Context, name: SettingName, variable: string): Row {
  const current = settings[name];
  const setting = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (settings.unusedAddresses.includes(variable))
    return { setting, value: null, from: 'not used', source: variable };
  // The zone in force, also where none is set.
  if (name === 'timezone' && current === undefined)
    return { setting, value: timeZone(), from: 'system', source: null };
  if (current === undefined) return { setting, value: null, from: 'not set', source: null };
  const source = current.from === 'default' ? null : current.name;
  return { setting, value: formatValue(settings, name), from: current.from, source };
}

/** As a profile or a variable has it. */
function formatValue(settings: Context['settings'], name: SettingName): unknown {
  const { output, rateLimit } = settings;
  if (name === 'output') return output.value.name;
  if (name !== 'rateLimit' || rateLimit.value === 'off') return settings[name]?.value;
  const { requests, perSeconds, writes, writesPerSeconds } = rateLimit.value;
  return `${requests}/${perSeconds},${writes}/${writesPerSeconds}`;
}
