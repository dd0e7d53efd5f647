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

type Kind = keyof Directories;

const XDG: Readonly<Record<Kind, { variable: string; fallback: readonly string[] }>> = {
  config: { variable: 'XDG_CONFIG_HOME', fallback: ['.config'] },
  state: { variable: 'XDG_STATE_HOME', fallback: ['.local', 'state'] },
  cache: { variable: 'XDG_CACHE_HOME', fallback: ['.cache'] },
};

const MAC: Readonly<Record<Kind, readonly string[]>> = {
  config: ['Library', 'Application Support'],
  state: ['Library', 'Application Support'],
  cache: ['Library', 'Caches'],
};

const WINDOWS: Readonly<Record<Kind, { variable: string; fallback: string; segments: readonly string[] }>> = {
  config: { variable: 'APPDATA', fallback: 'Roaming', segments: ['ttctl'] },
  state: { variable: 'LOCALAPPDATA', fallback: 'Local', segments: ['ttctl', 'state'] },
  cache: { variable: 'LOCALAPPDATA', fallback: 'Local', segments: ['ttctl', 'cache'] },
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
  const windows = platform === 'win32';
  const homeDirectory = home !== undefined && (windows ? win32 : posix).isAbsolute(home) ? home : undefined;
  const resolveDirectory = (kind: Kind): string | undefined => {
    const override = env[`TTCTL_${kind.toUpperCase()}_DIR`];
    if (override !== undefined && override !== '') return override;
    return windows
      ? resolveOnWindows(kind, env, homeDirectory)
      : resolveOnUnix(kind, env, platform === 'darwin', homeDirectory);
  };
  return {
    config: resolveDirectory('config'),
    state: resolveDirectory('state'),
    cache: resolveDirectory('cache'),
  };
}

function resolveOnWindows(kind: Kind, env: Environment, home: string | undefined): string | undefined {
  const { variable, fallback, segments } = WINDOWS[kind];
  const value = env[variable];
  if (value !== undefined && win32.isAbsolute(value)) return win32.join(value, ...segments);
  return home === undefined ? undefined : win32.join(home, 'AppData', fallback, ...segments);
}

function resolveOnUnix(
  kind: Kind,
  env: Environment,
  mac: boolean,
  home: string | undefined,
): string | undefined {
  const { variable, fallback } = XDG[kind];
  const value = env[variable];
  // The XDG rules: a relative value is to be ignored.
  if (value !== undefined && posix.isAbsolute(value)) return posix.join(value, 'ttctl');
  return home === undefined ? undefined : posix.join(home, ...(mac ? MAC[kind] : fallback), 'ttctl');
}

export interface ColourOptions {
  /** `--no-color` gives false; true and undefined have no effect. */
  readonly flag: boolean | undefined;
  readonly env: Environment;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/**
 * Whether one stream is coloured: `--no-color`, then `NO_COLOR` (not empty), then
 * `FORCE_COLOR` (not empty, not `0` or `false`), else a terminal that is not `TERM=dumb`.
 */
export function isColoured(stream: { readonly isTTY?: boolean }, { flag, env }: ColourOptions): boolean {
  if (flag === false || isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (isSet(force) && force !== '0' && force !== 'false') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
