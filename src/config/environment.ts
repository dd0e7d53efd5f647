import { posix, win32 } from 'node:path';

/** The environment, as `process.env` gives it. */
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

const WINDOWS: Readonly<Record<Kind, { variable: string; fallback: string; below: readonly string[] }>> = {
  config: { variable: 'APPDATA', fallback: 'Roaming', below: ['ttctl'] },
  state: { variable: 'LOCALAPPDATA', fallback: 'Local', below: ['ttctl', 'state'] },
  cache: { variable: 'LOCALAPPDATA', fallback: 'Local', below: ['ttctl', 'cache'] },
};

const onWindows = (kind: Kind, env: Environment, home: string | undefined): string | undefined => {
  const { variable, fallback, below } = WINDOWS[kind];
  const given = env[variable];
  if (given !== undefined && win32.isAbsolute(given)) return win32.join(given, ...below);
  return home === undefined ? undefined : win32.join(home, 'AppData', fallback, ...below);
};

const onUnix = (kind: Kind, env: Environment, mac: boolean, home: string | undefined): string | undefined => {
  const { variable, fallback } = XDG[kind];
  const given = env[variable];
  // The XDG rules: a relative value is to be ignored.
  if (given !== undefined && posix.isAbsolute(given)) return posix.join(given, 'ttctl');
  return home === undefined ? undefined : posix.join(home, ...(mac ? MAC[kind] : fallback), 'ttctl');
};

/**
 * Where things are kept. `TTCTL_CONFIG_DIR`, `TTCTL_STATE_DIR`, `TTCTL_CACHE_DIR` win as they are; then the XDG
 * variables (Linux, macOS) or `APPDATA` and `LOCALAPPDATA` (Windows); then the usual places below `home`.
 * `platform` as in `process.platform`; `home` is undefined or empty where there is none. Never throws.
 */
export const resolveDirectories = (
  env: Environment,
  platform: string,
  home: string | undefined,
): Directories => {
  const windows = platform === 'win32';
  const known = home !== undefined && (windows ? win32 : posix).isAbsolute(home) ? home : undefined;
  const place = (kind: Kind): string | undefined => {
    const own = env[`TTCTL_${kind.toUpperCase()}_DIR`];
    if (own !== undefined && own !== '') return own;
    return windows ? onWindows(kind, env, known) : onUnix(kind, env, platform === 'darwin', known);
  };
  return { config: place('config'), state: place('state'), cache: place('cache') };
};

export interface ColourOptions {
  /** `--no-color` gives false; true or undefined is no wish. */
  readonly flag: boolean | undefined;
  readonly env: Environment;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Whether one stream is coloured (docs/requirements.md, CLI-2): `--no-color`, then `NO_COLOR` (not empty), then
 * `FORCE_COLOR` (not empty, not `0` or `false`), else a terminal that is not `TERM=dumb`.
 */
export const isColoured = (stream: { readonly isTTY?: boolean }, { flag, env }: ColourOptions): boolean => {
  if (flag === false || isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (isSet(force) && force !== '0' && force !== 'false') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
};
