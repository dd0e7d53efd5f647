import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';

/** The settings in force as rows, each with its source. */

interface Known {
  readonly value: unknown;
  readonly from: string;
  readonly name: string;
}

const SHOWN = [
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
  'readOnly',
  'protected',
] as const;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const rateText = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { requests, perSeconds, writes, writesPerSeconds } = value as Record<string, number>;
  return `${requests}/${perSeconds},${writes}/${writesPerSeconds}`;
};

export const listSettingRows = ({ settings }: Context): readonly Row[] =>
  SHOWN.map((name) => {
    const known: Known | undefined = settings[name];
    const setting = snake(name);
    const unused = `TTCTL_${setting.toUpperCase()}`;
    if (settings.unusedAddresses.includes(unused))
      return { setting, value: null, from: 'not used', source: unused };
    if (known === undefined) return { setting, value: null, from: 'not set', source: null };
    const source = known.from === 'default' ? null : known.name;
    return { setting, value: rateText(known.value), from: known.from, source };
  });
