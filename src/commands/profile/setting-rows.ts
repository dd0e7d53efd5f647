import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';

/** The settings in force as rows, each with its source. */

interface SettingValue {
  readonly value: unknown;
  readonly from: string;
  readonly name: string;
}

const SETTING_NAMES = [
  'profile',
  'baseUrl',
  'authUrl',
  'tokenUrl',
  'clientId',
  'redirectUri',
  'scope',
  'workspace',
  'timezone',
  'output',
  'rateLimit',
  'timeoutSeconds',
  'maxWaitSeconds',
  'settleSeconds',
  'readOnly',
  'protected',
] as const;

type SettingName = (typeof SETTING_NAMES)[number];

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** As a profile or a variable has it. */
const formatSetting = (
  { output, rateLimit }: Context['settings'],
  name: SettingName,
  value: unknown,
): unknown => {
  if (name === 'output') return output.value.name;
  if (name !== 'rateLimit' || rateLimit.value === 'off') return value;
  const { requests, perSeconds, writes, writesPerSeconds } = rateLimit.value;
  return `${requests}/${perSeconds},${writes}/${writesPerSeconds}`;
};

export const listSettingRows = ({ settings, timeZone }: Context): readonly Row[] =>
  SETTING_NAMES.map((name) => {
    const current: SettingValue | undefined = settings[name];
    const setting = toSnakeCase(name);
    const variable = `TTCTL_${setting.toUpperCase()}`;
    if (settings.unusedAddresses.includes(variable))
      return { setting, value: null, from: 'not used', source: variable };
    // The zone in force, also where none is set.
    if (name === 'timezone' && current === undefined)
      return { setting, value: timeZone(), from: 'system', source: null };
    if (current === undefined) return { setting, value: null, from: 'not set', source: null };
    const source = current.from === 'default' ? null : current.name;
    return { setting, value: formatSetting(settings, name, current.value), from: current.from, source };
  });
