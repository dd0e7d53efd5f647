import { describe, expect, it } from 'vitest';
import { isColoured, resolveDirectories } from '../../src/config/environment.ts';
import {
  EMPTY_SETTINGS,
  LISTED_SETTINGS,
  type Profile,
  resolveSettings,
  type SettingName,
  type SettingsFile,
} from '../../src/config/settings.ts';
import { DEFAULT_FORMAT, JSON_FORMAT } from '../../src/output/formats/formats.ts';
import { failureOf } from '../support/in-process.ts';

interface Given extends Partial<Omit<Parameters<typeof resolveSettings>[0], 'file'>> {
  file?: SettingsFile;
  profile?: Profile;
}

const resolve = ({ profile, file, ...given }: Given) =>
  resolveSettings({
    ...{ flags: {}, env: {}, ...given },
    file: file ?? (profile === undefined ? EMPTY_SETTINGS : { version: 1, profiles: { default: profile } }),
  });
const refused = (given: Given) => failureOf(() => resolve(given));

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
  log: ['a', 'b', 'c'],
  allow: ['a', 'b', 'c'],
  tokenCommand: ['a', 'b', 'c'],
};

it('WRITTEN has every setting that a text is read for in several places', () => {
  const several = LISTED_SETTINGS.filter(
    ([, { flag, variable, member, usual }]) =>
      typeof usual !== 'boolean' && [flag, variable, member].filter(Boolean).length > 1,
  );
  // A rate is no text once it is read.
  expect(several.map(([name]) => name).filter((name) => !WRITTEN[name])).toEqual(['rateLimit']);
});

it.each(Object.keys(WRITTEN) as SettingName[])('flag, then environment, then profile: %s', (setting) => {
  const [byFlag, byVariable, byMember] = WRITTEN[setting] ?? ['', '', ''];
  const { flag, variable, member } = Object.fromEntries(LISTED_SETTINGS)[setting] ?? {};
  const option = flag?.slice(2).replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()) ?? '';
  // Those that it has, the first that counts first.
  const sources = [
    { from: 'flag', name: flag, text: byFlag, given: { flags: { [option]: byFlag } } },
    {
      from: 'environment',
      name: variable,
      text: byVariable,
      given: { env: { [`${variable}`]: byVariable } },
    },
    { from: 'profile', name: member, text: byMember, given: { profile: { [member ?? '']: byMember } } },
  ].filter(({ name }) => name !== undefined);
  for (let mixture = 1; mixture < 2 ** sources.length; mixture += 1) {
    const used = sources.filter((_source, at) => (mixture & (1 << at)) !== 0);
    const settings = resolve(Object.assign({}, ...used.map(({ given }) => given)));
    const { from, name, text } = used[0] ?? {};
    expect(settings[setting]).toMatchObject({ from, name });
    const value = setting === 'output' ? settings.output.value.name : settings[setting]?.value;
    expect(String(value)).toBe(text);
  }
});

describe('the profile', () => {
  const file: SettingsFile = {
    version: 1,
    current_profile: 'work',
    profiles: { work: { workspace: 7 }, home: { workspace: 'Home' }, constructor: { workspace: 9 } },
  };

  it('is that of the flag, of TTCTL_PROFILE, of current_profile', () => {
    expect(resolve({ file }).profile).toEqual({ value: 'work', from: 'profile', name: 'current_profile' });
    const env = { TTCTL_PROFILE: 'home' };
    const profile = { value: 'home', from: 'environment' };
    expect(resolve({ file, env })).toMatchObject({ profile, workspace: { value: 'Home' } });
    expect(resolve({ file, env, flags: { profile: 'constructor' } }).workspace?.value).toBe('9');
    expect(resolve({ file, env: { TTCTL_PROFILE: '' } }).workspace?.value).toBe('7');
  });

  it('that does not exist is refused, naming those that do', () => {
    const hint = expect.stringContaining('constructor, home, sandbox, work');
    const error = refused({ file, flags: { profile: 'toString' } });
    expect(error).toMatchObject({ exit: 2, code: 'unknown_profile', hint });
    expect(refused({ env: { TTCTL_PROFILE: 'x' } }).reason).toContain('TTCTL_PROFILE');
    expect(refused({ file: { ...file, current_profile: 'gone' } }).reason).toContain('current_profile');
    expect(resolve({ file, flags: { profile: 'new' }, newProfile: true }).profile.value).toBe('new');
  });

  it('sandbox is always there, takes stored settings, and no address leads out of it', () => {
    const flags = { profile: 'sandbox' };
    const env = { TTCTL_BASE_URL: 'https://real.example/api/v2' };
    expect(resolve({ flags, env })).toMatchObject({ embedded: true, baseUrl: undefined });
    const profiles = { sandbox: { workspace: 3, base_url: 'https://real.example' } };
    const stored = resolve({ flags, file: { version: 1, profiles } });
    expect(stored).toMatchObject({ baseUrl: undefined, workspace: { value: '3' } });
  });
});

const base = (url: string): Given => ({ env: { TTCTL_BASE_URL: url } });
const rates = { requests: 300, perSeconds: 60, writes: 5, writesPerSeconds: 0.5 };

it.each<[Given, SettingName, unknown]>([
  [{ flags: { json: true } }, 'output', { value: JSON_FORMAT, from: 'flag', name: '--json' }],
  [{ flags: { json: true, output: 'json' } }, 'output', { value: { name: 'json' } }],
  [{ flags: { query: 'a' }, env: { TTCTL_OUTPUT: 'csv' } }, 'output', { value: { name: 'json' } }],
  [{ flags: { query: 'a', output: 'csv' } }, 'output', { value: { name: 'csv' } }],
  [{ flags: { columns: ['id, email', 'role'] } }, 'columns', { value: ['id', 'email', 'role'] }],
  [{ flags: { sort: 'total.days:desc' } }, 'sort', { value: { field: 'total.days', descending: true } }],
  [{ flags: { sort: 'id' } }, 'sort', { value: { field: 'id', descending: false } }],
  [{ flags: { header: false } }, 'header', { value: false, from: 'flag', name: '--no-header' }],
  [{ flags: { maxWait: 0 } }, 'maxWaitSeconds', { value: 0 }],
  [{ flags: { timeout: 0.5 } }, 'timeoutSeconds', { value: 0.5 }],
  [{ env: { TTCTL_RATE_LIMIT: 'off' } }, 'rateLimit', { value: 'off' }],
  [
    { profile: { rate_limit: '300/60, 5/0.5' } },
    'rateLimit',
    { value: rates, from: 'profile', name: 'rate_limit' },
  ],
  [base('https://h.example/api/v2/'), 'baseUrl', { value: 'https://h.example/api/v2' }],
  [base('https://H.example:443//'), 'baseUrl', { value: 'https://h.example' }],
  [base('http://localhost:4747/api/v2'), 'baseUrl', { value: 'http://localhost:4747/api/v2' }],
  [base('http://127.8.9.1/x/'), 'baseUrl', { value: 'http://127.8.9.1/x' }],
  [base('http://[::1]:80/'), 'baseUrl', { value: 'http://[::1]' }],
  ...['', '0', 'false', 'FALSE', '1', 'true', 'yes'].flatMap((text): [Given, SettingName, unknown][] => {
    const value = ['1', 'true', 'yes'].includes(text);
    const switches = { TTCTL_DEBUG: 'debug', CI: 'noInput', TTCTL_NO_INPUT: 'noInput' } as const;
    return Object.entries(switches).map(([name, setting]) => [{ env: { [name]: text } }, setting, { value }]);
  }),
])('%j: %s is %j', (given, name, expected) => {
  expect(resolve(given)[name]).toMatchObject(expected as object);
});

it.each<[Given, string]>([
  ...['', 'a b', 'a/b', '..', '.', 'ä', 'a\n'].map((profile): [Given, string] => [
    { flags: { profile }, newProfile: true },
    '--profile',
  ]),
  [{ flags: { json: true, output: 'csv' } }, '--json and --output csv'],
  [{ flags: { output: 'xml' } }, 'Formats: table, json, ndjson'],
  [{ profile: { output: 'xml' } }, 'ttctl profile set'],
  [{ flags: { columns: ['id,,email'] } }, '--columns'],
  ...['', ':desc', 'id:up', 'a:b:desc'].map((sort): [Given, string] => [{ flags: { sort } }, '--sort']),
  ...['0', '-1', 'x', '', '1e3', '0x10', '30s', 'Infinity', '9999999'].map((timeout): [Given, string] => [
    { flags: { timeout } },
    '--timeout',
  ]),
  [{ env: { TTCTL_MAX_WAIT: '-1' } }, 'TTCTL_MAX_WAIT'],
  ...['150', '150/60', '0/60,20/1', '150/0,20/1', '1.5/60,20/1', 'on', '150/60,20/1,3/1'].map(
    (text): [Given, string] => [{ env: { TTCTL_RATE_LIMIT: text } }, 'TTCTL_RATE_LIMIT'],
  ),
])('%j is refused: %s', (given, told) => {
  const { exit, message, hint } = refused(given);
  expect([exit, `${message} ${hint}`]).toEqual([2, expect.stringContaining(told)]);
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
])('the address %s is refused', (url, why) => {
  const { message, hint, details } = refused(base(url));
  for (const told of ['TTCTL_BASE_URL', why]) expect(message).toContain(told);
  expect(JSON.stringify([message, hint, details])).not.toContain('s3cret');
  const stored = refused({ profile: { token_url: url } });
  expect(`${stored.message} ${stored.hint}`).toMatch(/token_url.*ttctl profile set/s);
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

const LINUX = ['/h/.config/ttctl', '/h/.local/state/ttctl', '/h/.cache/ttctl'];
const [SUPPORT, CACHES] = ['/U/Library/Application Support/ttctl', '/U/Library/Caches/ttctl'];
const [ROAMING, LOCAL] = ['C:\\u\\AppData\\Roaming\\ttctl', 'C:\\u\\AppData\\Local\\ttctl'];

it.each<[platform: string, home: string | undefined, env: Record<string, string>, places: unknown[]]>([
  ['linux', '/h', {}, LINUX],
  ['darwin', '/U', {}, [SUPPORT, SUPPORT, CACHES]],
  ['darwin', '/U', { XDG_CONFIG_HOME: '/x' }, ['/x/ttctl', SUPPORT, CACHES]],
  ['win32', 'C:\\u', {}, [ROAMING, `${LOCAL}\\state`, `${LOCAL}\\cache`]],
  ['win32', 'C:\\u', { APPDATA: 'C:\\r' }, ['C:\\r\\ttctl', `${LOCAL}\\state`, `${LOCAL}\\cache`]],
  ['win32', 'C:\\u', { LOCALAPPDATA: 'D:\\l' }, [ROAMING, 'D:\\l\\ttctl\\state', 'D:\\l\\ttctl\\cache']],
  // Not those of relative or empty variables; our own win as they are.
  ['linux', '/h', { XDG_STATE_HOME: 'relative', XDG_CACHE_HOME: '', TTCTL_CONFIG_DIR: '' }, LINUX],
  ['linux', '/h', { TTCTL_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' }, ['/c', ...LINUX.slice(1)]],
  ['linux', '/h', { TTCTL_STATE_DIR: 's', TTCTL_CACHE_DIR: '/k' }, [LINUX[0], 's', '/k']],
  ...['linux', 'darwin', 'win32', 'freebsd'].flatMap((platform) =>
    [undefined, ''].map((home): [string, string | undefined, Record<string, string>, unknown[]] => {
      return [platform, home, {}, [undefined, undefined, undefined]];
    }),
  ),
])('directories on %s at %s with %j: %j', (platform, home, env, places) => {
  const { config, state, cache } = resolveDirectories(env, platform, home);
  expect([config, state, cache]).toEqual(places);
});

it.each([
  ['a terminal', 'terminal', undefined, {}, true],
  ['a pipe', 'pipe', undefined, {}, false],
  ['a dumb terminal', 'terminal', undefined, { TERM: 'dumb' }, false],
  ['NO_COLOR', 'terminal', undefined, { NO_COLOR: '0' }, false],
  ['an empty NO_COLOR', 'terminal', undefined, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', 'pipe', undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  ['FORCE_COLOR=0 on a terminal', 'terminal', undefined, { FORCE_COLOR: '0' }, true],
  ['FORCE_COLOR=0 in a pipe', 'pipe', undefined, { FORCE_COLOR: '0' }, false],
  ['an empty FORCE_COLOR', 'pipe', undefined, { FORCE_COLOR: '' }, false],
  ['NO_COLOR over FORCE_COLOR', 'terminal', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['--no-color over FORCE_COLOR', 'terminal', false, { FORCE_COLOR: '1' }, false],
  ["commander's default of --no-color", 'pipe', true, {}, false],
])('colour of %s', (_, stream, flag, env, colour) => {
  expect(isColoured({ isTTY: stream === 'terminal' }, env, flag)).toBe(colour);
});
