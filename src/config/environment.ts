import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A member is undefined where no place is known: nothing is stored then, and nothing fails for it. */
export interface Directories {
  /** Settings and credentials. */
  readonly config: string | undefined;
  /** Jobs, the rate ledger, the sandbox's world. */
  readonly state: string | undefined;
  /** May be deleted at any time with no loss. */
  readonly cache: string | undefined;
}

/** The variable, the place below the home directory where it says nothing, and the place in that. */
type Place = readonly [variable: string, fallback: string, below: string];

const PLACES: Readonly<
  Record<keyof Directories, { readonly linux: Place; readonly [platform: string]: Place }>
> = {
  config: {
    linux: ['XDG_CONFIG_HOME', '.config', 'ttctl'],
    darwin: ['XDG_CONFIG_HOME', 'Library/Application Support', 'ttctl'],
    win32: ['APPDATA', 'AppData/Roaming', 'ttctl'],
  },
  state: {
    linux: ['XDG_STATE_HOME', '.local/state', 'ttctl'],
    darwin: ['XDG_STATE_HOME', 'Library/Application Support', 'ttctl'],
    win32: ['LOCALAPPDATA', 'AppData/Local', 'ttctl/state'],
  },
  cache: {
    linux: ['XDG_CACHE_HOME', '.cache', 'ttctl'],
    darwin: ['XDG_CACHE_HOME', 'Library/Caches', 'ttctl'],
    win32: ['LOCALAPPDATA', 'AppData/Local', 'ttctl/cache'],
  },
};

/**
 * Where things are kept. `TTCTL_CONFIG_DIR`, `TTCTL_STATE_DIR`, `TTCTL_CACHE_DIR` win as they are; then the XDG
 * variables (Linux, macOS) or `APPDATA` and `LOCALAPPDATA` (Windows); then the usual places below `home`.
 * `platform` as in `process.platform`; `home` is undefined or empty where there is none. Never throws.
 */
export function resolveDirectories(
  env: Environment,
  platform: string,
  home: string | undefined,
): Directories {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const directories: Record<string, string | undefined> = {};
  for (const [kind, places] of Object.entries(PLACES)) {
    const [variable, fallback, below] = places[platform] ?? places.linux;
    const value = env[variable];
    // The XDG rules: a relative value is to be ignored.
    if (value !== undefined && isAbsolute(value)) directories[kind] = join(value, below);
    else if (home !== undefined && isAbsolute(home)) directories[kind] = join(home, fallback, below);
    directories[kind] = env[`TTCTL_${kind.toUpperCase()}_DIR`] || directories[kind];
  }
  return directories as unknown as Directories;
}

/**
 * Whether one stream is coloured: `--no-color`, then `NO_COLOR` (not empty), then
 * `FORCE_COLOR` (not empty, not `0` or `false`), else a terminal that is not `TERM=dumb`.
 * @param flag `--no-color` gives false; true and undefined have no effect
 */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  { flag, env }: { readonly flag: boolean | undefined; readonly env: Environment },
): boolean {
  if (flag === false || env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force && force !== '0' && force !== 'false') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
