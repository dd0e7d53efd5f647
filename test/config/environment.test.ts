import { describe, expect, it } from 'vitest';
import { isColoured, resolveDirectories } from '../../src/config/environment.ts';

describe('directories', () => {
  it('Linux', () => {
    expect(resolveDirectories({}, 'linux', '/home/ann')).toEqual({
      config: '/home/ann/.config/ttctl',
      state: '/home/ann/.local/state/ttctl',
      cache: '/home/ann/.cache/ttctl',
    });
  });

  it('macOS', () => {
    expect(resolveDirectories({}, 'darwin', '/Users/ann')).toEqual({
      config: '/Users/ann/Library/Application Support/ttctl',
      state: '/Users/ann/Library/Application Support/ttctl',
      cache: '/Users/ann/Library/Caches/ttctl',
    });
    expect(resolveDirectories({ XDG_CONFIG_HOME: '/x' }, 'darwin', '/Users/ann').config).toBe('/x/ttctl');
  });

  it('Windows', () => {
    const env = { APPDATA: 'C:\\Users\\ann\\AppData\\Roaming', LOCALAPPDATA: 'D:\\Local' };
    expect(resolveDirectories(env, 'win32', 'C:\\Users\\ann')).toEqual({
      config: 'C:\\Users\\ann\\AppData\\Roaming\\ttctl',
      state: 'D:\\Local\\ttctl\\state',
      cache: 'D:\\Local\\ttctl\\cache',
    });
    expect(resolveDirectories({}, 'win32', 'C:\\Users\\ann').state).toBe(
      'C:\\Users\\ann\\AppData\\Local\\ttctl\\state',
    );
  });

  it('the XDG places, but not relative or empty ones', () => {
    const env = { XDG_CONFIG_HOME: '/x/config', XDG_STATE_HOME: 'relative', XDG_CACHE_HOME: '' };
    expect(resolveDirectories(env, 'linux', '/home/ann')).toEqual({
      config: '/x/config/ttctl',
      state: '/home/ann/.local/state/ttctl',
      cache: '/home/ann/.cache/ttctl',
    });
  });

  it('our own variables win as they are', () => {
    const env = {
      TTCTL_CONFIG_DIR: '/c',
      TTCTL_STATE_DIR: 's',
      TTCTL_CACHE_DIR: '/k',
      XDG_CONFIG_HOME: '/x',
    };
    expect(resolveDirectories(env, 'linux', '/home/ann')).toEqual({ config: '/c', state: 's', cache: '/k' });
    expect(resolveDirectories({ TTCTL_CONFIG_DIR: '' }, 'linux', '/h').config).toBe('/h/.config/ttctl');
  });

  it('no home and no variables: no places', () => {
    const none = { config: undefined, state: undefined, cache: undefined };
    for (const platform of ['linux', 'darwin', 'win32', 'freebsd']) {
      for (const home of [undefined, '']) expect(resolveDirectories({}, platform, home)).toEqual(none);
    }
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
])('%s', (_, stream, flag, env, colour) => {
  expect(isColoured(stream, env, flag)).toBe(colour);
});
