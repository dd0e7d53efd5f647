import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A member is undefined where no place is known: nothing is stored then, and nothing fails for it. */
export interface Directories {
  readonly config: string | undefined;
  /** Jobs, the rate ledger, the sandbox's world. */
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

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
  const isMac = platform === 'darwin';
  // Of each kind: the variable, the place below the home directory where it says nothing, and the place in that.
  const places =
    platform === 'win32'
      ? [
          ['config', 'APPDATA', 'AppData/Roaming', 'ttctl'],
          ['state', 'LOCALAPPDATA', 'AppData/Local', 'ttctl/state'],
          ['cache', 'LOCALAPPDATA', 'AppData/Local', 'ttctl/cache'],
        ]
      : [
          ['config', 'XDG_CONFIG_HOME', isMac ? 'Library/Application Support' : '.config', 'ttctl'],
          ['state', 'XDG_STATE_HOME', isMac ? 'Library/Application Support' : '.local/state', 'ttctl'],
          ['cache', 'XDG_CACHE_HOME', isMac ? 'Library/Caches' : '.cache', 'ttctl'],
        ];
  const directories = places.map(([kind = '', variable = '', fallback = '', below = '']) => {
    const value = env[variable];
    let place: string | undefined;
    // The XDG rules: a relative value is to be ignored.
    if (value !== undefined && isAbsolute(value)) place = join(value, below);
    else if (home !== undefined && isAbsolute(home)) place = join(home, fallback, below);
    return [kind, env[`TTCTL_${kind.toUpperCase()}_DIR`] || place];
  });
  return Object.fromEntries(directories) as Directories;
}

/**
 * Whether one stream is coloured: `--no-color`, then `NO_COLOR` (not empty), then
 * `FORCE_COLOR` (not empty, not `0` or `false`), else a terminal that is not `TERM=dumb`.
 * @param flag `--no-color` gives false; true and undefined have no effect
 */
export function isColoured(stream: { readonly isTTY?: boolean }, env: Environment, flag?: unknown): boolean {
  if (flag === false || env.NO_COLOR) return false;
  const force = env.FORCE_COLOR;
  if (force && force !== '0' && force !== 'false') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}
