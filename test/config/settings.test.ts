import { describe, expect, it } from 'vitest';
import { isColoured, resolveDirectories } from '../../src/config/environment.ts';
import type { GlobalFlags, Settings } from '../../src/config/settings.ts';
import {
  EMPTY_SETTINGS,
  LISTED_SETTINGS,
  type Profile,
  resolveSettings,
  type SettingName,
  type SettingsFile,
} from '../../src/config/settings.ts';
import { UsageError } from '../../src/errors.ts';
import { DEFAULT_FORMAT, JSON_FORMAT } from '../../src/output/formats/formats.ts';

interface Given {
  flags?: GlobalFlags;
  env?: Record<string, string>;
  profile?: Profile;
  file?: SettingsFile;
  newProfile?: boolean;
}

const resolve = ({ flags = {}, env = {}, profile, file, newProfile }: Given): Settings => {
  const stored =
    file ?? (profile === undefined ? EMPTY_SETTINGS : { version: 1, profiles: { default: profile } });
  return resolveSettings({ flags, env, file: stored, ...(newProfile === undefined ? {} : { newProfile }) });
};

const refused = (given: Given): UsageError => {
  try {
    resolve(given);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return error as UsageError;
  }
  throw new Error('it was not refused');
};

it('nothing given: the defaults', () => {
  const settings = resolve({});
  expect(settings).toMatchObject({
    profile: { value: 'default', from: 'default' },
    embedded: false,
    output: { value: DEFAULT_FORMAT, from: 'default' },
    timeoutSeconds: { value: 30, from: 'default' },
    maxWaitSeconds: { value: 120, from: 'default' },
    rateLimit: { value: { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 } },
  });
  const { header, ...switches } = settings;
  expect(header.value).toBe(true);
  for (const name of ['yes', 'noInput', 'dryRun', 'quiet', 'debug', 'readOnly'] as const)
    expect(switches[name].value, name).toBe(false);
  const none = ['workspace', 'columns', 'sort', 'query', 'token', 'baseUrl', 'clientId', 'timezone'] as const;
  for (const name of none) expect(settings[name], name).toBeUndefined();
});

const urls = ['https://a', 'https://b', 'https://c'] as const;

/** How settings that have several sources may be written by flag, variable and member. */
const WRITTEN: Readonly<Partial<Record<SettingName, readonly [string, string, string]>>> = {
  workspace: ['1', '2', '3'],
  output: ['csv', 'tsv', 'ids'],
  timeoutSeconds: ['1', '2.5', '3'],
  maxWaitSeconds: ['0', '2', '3'],
  settleSeconds: ['0', '2.5', '3'],
  baseUrl: urls,
  authUrl: urls,
  tokenUrl: urls,
  clientId: ['a', 'b', 'c'],
  clientSecret: ['a', 'b', 'c'],
  token: ['a', 'b', 'c'],
  timezone: ['a', 'b', 'UTC'],
  redirectUri: ['http://127.0.0.1:2/x', 'b', 'http://127.0.0.1:1/x'],
  scope: ['write', 'b', 'read'],
};

/** The sources that a setting has, the first that counts first. */
const sourcesOf = (setting: SettingName) => {
  const [byFlag, byVariable, byMember] = WRITTEN[setting] ?? ['', '', ''];
  const { flag, variable, member } = Object.fromEntries(LISTED_SETTINGS)[setting] ?? {};
  const option = flag?.slice(2).replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()) ?? '';
  return [
    { from: 'flag', name: flag, text: byFlag, given: { flags: { [option]: byFlag } } },
    {
      from: 'environment',
      name: variable,
      text: byVariable,
      given: { env: { [`${variable}`]: byVariable } },
    },
    { from: 'profile', name: member, text: byMember, given: { profile: { [member ?? '']: byMember } } },
  ].filter(({ name }) => name !== undefined);
};

describe('flag, then environment, then profile, then default', () => {
  it.each(Object.keys(WRITTEN) as SettingName[])('for %s', (setting) => {
    const sources = sourcesOf(setting);
    for (let mixture = 1; mixture < 2 ** sources.length; mixture += 1) {
      const used = sources.filter((_source, at) => (mixture & (1 << at)) !== 0);
      const settings = resolve(Object.assign({}, ...used.map(({ given }) => given)));
      const { from, name, text } = used[0] ?? {};
      expect(settings[setting]).toMatchObject({ from, name });
      const value = setting === 'output' ? settings.output.value.name : settings[setting]?.value;
      expect(String(value)).toBe(text);
    }
  });
});

describe('profile', () => {
  const file: SettingsFile = {
    version: 1,
    current_profile: 'work',
    profiles: { work: { workspace: 7 }, home: { workspace: 'Home' }, constructor: { workspace: 9 } },
  };

  it('flag, TTCTL_PROFILE, current_profile', () => {
    expect(resolve({ file }).profile).toEqual({ value: 'work', from: 'profile', name: 'current_profile' });
    const env = { TTCTL_PROFILE: 'home' };
    expect(resolve({ file, env })).toMatchObject({
      profile: { value: 'home', from: 'environment' },
      workspace: { value: 'Home' },
    });
    expect(resolve({ file, env, flags: { profile: 'constructor' } }).workspace?.value).toBe('9');
    expect(resolve({ file, env: { TTCTL_PROFILE: '' } }).workspace?.value).toBe('7');
  });

  it('one that does not exist is refused, naming those that do', () => {
    const error = refused({ file, flags: { profile: 'toString' } });
    expect(error).toMatchObject({ exit: 2, code: 'unknown_profile' });
    expect(error.hint).toContain('constructor, home, sandbox, work');
    expect(refused({ env: { TTCTL_PROFILE: 'x' } }).reason).toContain('TTCTL_PROFILE');
    expect(refused({ file: { ...file, current_profile: 'gone' } }).reason).toContain('current_profile');
    expect(resolve({ file, flags: { profile: 'new' }, newProfile: true }).profile.value).toBe('new');
  });

  it('a name is letters, digits, - _ .', () => {
    for (const name of ['', 'a b', 'a/b', '..', '.', 'ä', 'a\n']) {
      expect(refused({ flags: { profile: name }, newProfile: true }).message).toContain('--profile');
    }
  });

  it('the sandbox is always there, takes stored settings, and no address leads out of it', () => {
    const flags = { profile: 'sandbox' };
    const env = { TTCTL_BASE_URL: 'https://real.example/api/v2' };
    expect(resolve({ flags, env })).toMatchObject({ embedded: true, baseUrl: undefined });
    const stored: SettingsFile = {
      version: 1,
      profiles: { sandbox: { workspace: 3, base_url: 'https://real.example' } },
    };
    expect(resolve({ flags, file: stored })).toMatchObject({ baseUrl: undefined, workspace: { value: '3' } });
  });
});

describe('output', () => {
  it('--json, -o and --query', () => {
    const asJson = { value: JSON_FORMAT, from: 'flag', name: '--json' };
    expect(resolve({ flags: { json: true } }).output).toEqual(asJson);
    expect(resolve({ flags: { json: true, output: 'json' } }).output.value.name).toBe('json');
    const error = refused({ flags: { json: true, output: 'csv' } });
    expect(error.message).toMatch(/--json.*--output csv/);
    expect(resolve({ flags: { query: 'a' }, env: { TTCTL_OUTPUT: 'csv' } }).output.value.name).toBe('json');
    expect(resolve({ flags: { query: 'a', output: 'csv' } }).output.value.name).toBe('csv');
    expect(refused({ flags: { output: 'xml' } }).hint).toContain('ndjson');
    expect(refused({ profile: { output: 'xml' } }).hint).toContain('profile set');
  });

  it('columns, sort, header', () => {
    const columns = resolve({ flags: { columns: ['id, email', 'role'] } }).columns?.value;
    expect(columns).toEqual(['id', 'email', 'role']);
    expect(refused({ flags: { columns: ['id,,email'] } }).message).toContain('--columns');
    for (const [sort, value] of [
      ['total.days:desc', { field: 'total.days', descending: true }],
      ['id', { field: 'id', descending: false }],
    ] as const)
      expect(resolve({ flags: { sort } }).sort?.value).toEqual(value);
    for (const sort of ['', ':desc', 'id:up', 'a:b:desc'])
      expect(refused({ flags: { sort } }).message).toContain('--sort');
    const noHeader = { value: false, from: 'flag', name: '--no-header' };
    expect(resolve({ flags: { header: false } }).header).toEqual(noHeader);
  });
});

describe('switches', () => {
  it.each([
    ['', false],
    ['0', false],
    ['false', false],
    ['FALSE', false],
    ['1', true],
    ['true', true],
    ['yes', true],
  ])('an environment of %j is %j', (value, on) => {
    expect(resolve({ env: { TTCTL_DEBUG: value } }).debug.value).toBe(on);
    expect(resolve({ env: { CI: value } }).noInput.value).toBe(on);
    expect(resolve({ env: { TTCTL_NO_INPUT: value } }).noInput.value).toBe(on);
  });
});

describe('numbers', () => {
  it.each(['0', '-1', 'x', '', '1e3', '0x10', '30s', 'Infinity', '9999999'])(
    '--timeout %s is refused',
    (timeout) => {
      const error = refused({ flags: { timeout } });
      expect(error.message).toContain('--timeout');
      expect(error.exit).toBe(2);
    },
  );

  it('--max-wait may be 0, and numbers are fine too', () => {
    expect(resolve({ flags: { maxWait: 0, timeout: 0.5 } })).toMatchObject({
      maxWaitSeconds: { value: 0 },
      timeoutSeconds: { value: 0.5 },
    });
    expect(refused({ env: { TTCTL_MAX_WAIT: '-1' } }).message).toContain('TTCTL_MAX_WAIT');
  });

  it('rate limits', () => {
    expect(resolve({ env: { TTCTL_RATE_LIMIT: 'off' } }).rateLimit.value).toBe('off');
    expect(resolve({ profile: { rate_limit: '300/60, 5/0.5' } }).rateLimit).toMatchObject({
      value: { requests: 300, perSeconds: 60, writes: 5, writesPerSeconds: 0.5 },
      from: 'profile',
      name: 'rate_limit',
    });
    for (const text of ['150', '150/60', '0/60,20/1', '150/0,20/1', '1.5/60,20/1', 'on', '150/60,20/1,3/1']) {
      expect(refused({ env: { TTCTL_RATE_LIMIT: text } }).message).toContain('TTCTL_RATE_LIMIT');
    }
  });
});

describe('addresses', () => {
  const base = (url: string): string | undefined => resolve({ env: { TTCTL_BASE_URL: url } }).baseUrl?.value;

  it.each([
    ['https://h.example/api/v2/', 'https://h.example/api/v2'],
    ['https://H.example:443//', 'https://h.example'],
    ['http://localhost:4747/api/v2', 'http://localhost:4747/api/v2'],
    ['http://127.8.9.1/x/', 'http://127.8.9.1/x'],
    ['http://[::1]:80/', 'http://[::1]'],
  ])('%s', (given, expected) => {
    expect(base(given)).toBe(expected);
  });

  it.each([
    ['http://h.example/api', 'https://'],
    ['http://localhost.h.example', 'https://'],
    ['http://128.0.0.1', 'https://'],
    ['http://127.0.0.1.h.example', 'https://'],
    ['https://ann:s3cret@h.example', 'password'],
    ['https://h.example/?a=s3cret', '?'],
    ['https://h.example/#s3cret', '#'],
    ['ftp://h.example', 'web address'],
    ['h.example/api', 'web address'],
    ['file:///etc/passwd', 'web address'],
  ])('%s is refused', (url, why) => {
    const error = refused({ env: { TTCTL_BASE_URL: url } });
    expect(error.message).toContain('TTCTL_BASE_URL');
    expect(error.message).toContain(why);
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('s3cret');
    expect(refused({ profile: { token_url: url } })).toMatchObject({
      message: expect.stringContaining('token_url'),
      hint: expect.stringContaining('ttctl profile set'),
    });
  });

  it.each([
    '',
    'https://evil.example/callback',
    'http://192.168.0.7:8484/callback',
    'ftp://127.0.0.1/',
    'http://127.0.0.1:0/callback',
    'http://ana:hunter2@127.0.0.1:8484/callback',
    'http://ana@localhost:8484/callback',
    'http://127.0.0.1:8484/callback#',
    'http://127.0.0.1:8484/call back',
    'http://127.0.0.1.evil.example:8484/',
    '//127.0.0.1:8484/',
  ])('--redirect-uri %j is refused', (redirectUri) => {
    const { message, hint } = refused({ flags: { redirectUri } });
    expect(message).toMatch(/^--redirect-uri (is not (on|a web address)|needs a fixed port|has |contains )/);
    expect(`${message}${hint}`).not.toContain('hunter2');
  });
});

describe('directories', () => {
  const places = (platform: string, home?: string, env: Record<string, string> = {}) => {
    const { config, state, cache } = resolveDirectories(env, platform, home);
    return [config, state, cache];
  };
  const linux = ['/h/.config/ttctl', '/h/.local/state/ttctl', '/h/.cache/ttctl'];

  it('are those of the system, or of its variables', () => {
    expect(places('linux', '/h')).toEqual(linux);
    const [support, caches] = ['/U/Library/Application Support/ttctl', '/U/Library/Caches/ttctl'];
    expect(places('darwin', '/U')).toEqual([support, support, caches]);
    expect(places('darwin', '/U', { XDG_CONFIG_HOME: '/x' })).toEqual(['/x/ttctl', support, caches]);
    const local = 'C:\\u\\AppData\\Local\\ttctl';
    const windows = ['C:\\u\\AppData\\Roaming\\ttctl', `${local}\\state`, `${local}\\cache`];
    expect(places('win32', 'C:\\u')).toEqual(windows);
    const env = { APPDATA: 'C:\\r', LOCALAPPDATA: 'D:\\l' };
    expect(places('win32', 'C:\\u', env)).toEqual([
      'C:\\r\\ttctl',
      'D:\\l\\ttctl\\state',
      'D:\\l\\ttctl\\cache',
    ]);
  });

  it('are not those of relative or empty variables; our own win as they are', () => {
    const odd = { XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: 'relative', XDG_CACHE_HOME: '' };
    expect(places('linux', '/h', odd)).toEqual(['/x/ttctl', ...linux.slice(1)]);
    const own = {
      TTCTL_CONFIG_DIR: '/c',
      TTCTL_STATE_DIR: 's',
      TTCTL_CACHE_DIR: '/k',
      XDG_CONFIG_HOME: '/x',
    };
    expect(places('linux', '/h', own)).toEqual(['/c', 's', '/k']);
    expect(places('linux', '/h', { TTCTL_CONFIG_DIR: '' })).toEqual(linux);
  });

  it('are none without a home and variables', () => {
    for (const platform of ['linux', 'darwin', 'win32', 'freebsd'])
      for (const home of [undefined, '']) expect(places(platform, home)).toEqual(Array(3).fill(undefined));
  });
});

const terminal = { isTTY: true };
const pipe = {};

it.each([
  ['a terminal', terminal, undefined, {}, true],
  ['a pipe', pipe, undefined, {}, false],
  ['a dumb terminal', terminal, undefined, { TERM: 'dumb' }, false],
  ['NO_COLOR', terminal, undefined, { NO_COLOR: '0' }, false],
  ['an empty NO_COLOR', terminal, undefined, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', pipe, undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  ['FORCE_COLOR=0 on a terminal', terminal, undefined, { FORCE_COLOR: '0' }, true],
  ['FORCE_COLOR=0 in a pipe', pipe, undefined, { FORCE_COLOR: '0' }, false],
  ['an empty FORCE_COLOR', pipe, undefined, { FORCE_COLOR: '' }, false],
  ['NO_COLOR over FORCE_COLOR', terminal, undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['--no-color over FORCE_COLOR', terminal, false, { FORCE_COLOR: '1' }, false],
  ["commander's default of --no-color", pipe, true, {}, false],
])('colour of %s', (_, stream, flag, env, colour) => {
  expect(isColoured(stream, env, flag)).toBe(colour);
});
