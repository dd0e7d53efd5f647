import { accessSync, constants, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { getErrno } from '../storage/failure.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { listMissingFolders } from '../storage/write.ts';

export interface Finding {
  /** `credential`, `clock` … */
  readonly check: string;
  /** `warning`: it works, and soon may not. `problem`: something does not work. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** What was found; nothing secret. */
  readonly found: string;
  /** What to do about it; `null` where nothing is to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
});
export const problem = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'problem',
  found,
  advice,
});

/** How `ttctl doctor` checks the files and directories of ttctl. */

const warnUnknown = (check: string): Finding =>
  warning(check, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');

/** Whether the file can be used, and is closed to others; settings hold no secret. */
export function inspectFile(check: 'settings file' | 'credentials file', path: string | undefined): Finding {
  if (path === undefined) return warnUnknown(check);
  const isSettings = check === 'settings file';
  try {
    const bytes = readOwnFile(path, isSettings ? { kind: 'settings' } : {});
    if (bytes === undefined) return ok(check, `${path} (does not exist yet)`);
    const mode = formatMode(path);
    const found = `${path} (file, ${mode})`;
    if (isSettings || mode === '600') return ok(check, found);
    return warning(check, found, `Make it private: ${commandLine`chmod 600 ${path}`}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return problem(check, error.message, error.hint ?? 'Check the permissions of its parent directories.');
  }
}

/** What chooses each directory, and what does not work where it cannot be written. */
const DIRECTORIES = {
  'settings directory': [
    'TTCTL_CONFIG_DIR',
    'Nothing can be stored there: pass the values as TTCTL_ variables, or set TTCTL_CONFIG_DIR to another directory.',
  ],
  'state directory': [
    'TTCTL_STATE_DIR',
    'Bulk runs need --no-history, and rate limits are not shared between processes. Set TTCTL_STATE_DIR to another directory.',
  ],
  'cache directory': [
    'TTCTL_CACHE_DIR',
    'Commands start slower and completion offers no names. Set TTCTL_CACHE_DIR to another directory.',
  ],
} as const;

/** Whether it is one, or can be made, can be written, and is closed to others. */
export function inspectDirectory(check: keyof typeof DIRECTORIES, path: string | undefined): Finding {
  if (path === undefined) return warnUnknown(check);
  const [variable, consequence] = DIRECTORIES[check];
  const mode = formatMode(path);
  const found = `${path} (${mode === undefined ? 'does not exist yet' : `directory, ${mode}`})`;
  const errno = explainUnwritable(path);
  if (errno === 'ENOTDIR')
    return problem(check, `${path}: it is not a directory`, `Set ${variable} to another directory.`);
  if (errno !== undefined) return warning(check, `${found}; it cannot be written: ${errno}`, consequence);
  if (mode === undefined || mode === '700') return ok(check, found);
  return warning(check, found, `If only ttctl uses it, make it private: ${commandLine`chmod 700 ${path}`}`);
}

/** Permission bits as text: `600`; undefined where there is nothing, or it cannot be looked at. */
function formatMode(path: string): string | undefined {
  try {
    return (statSync(path).mode & 0o777).toString(8).padStart(3, '0');
  } catch {
    return undefined;
  }
}

/**
 * Whether files can be written in this folder, or it can be made. Permissions alone do not tell (root, /proc), so a
 * folder is made where the first missing one would be, and taken away again.
 * @returns what the disk says against it: `EROFS`
 */
function explainUnwritable(path: string): string | undefined {
  try {
    const [first] = listMissingFolders(path);
    if (first === undefined) accessSync(path, constants.W_OK | constants.X_OK);
    else rmdirSync(mkdtempSync(join(dirname(first), '.ttctl-')));
    return undefined;
  } catch (error) {
    return getErrno(error) ?? 'unknown';
  }
}
