import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from '../parsing/shell-word.ts';
import { getErrno } from '../storage/failure.ts';
import { listMissingFolders } from '../storage/folders.ts';
import {
  formatRestrictAccess,
  formatTakeOwnership,
  judgeTrust,
  type TrustProblem,
} from '../storage/own-files.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** How `ttctl doctor` checks the files and directories of ttctl. */

/** What does not work without the directory, and what to do about it. */
const UNWRITABLE_ADVICE: Readonly<Record<string, string>> = {
  'settings directory':
    'Nothing can be stored there: pass the values as TTCTL_ variables, or set TTCTL_CONFIG_DIR to another directory.',
  'cache directory':
    'Commands start slower and completion offers no names. Set TTCTL_CACHE_DIR to another directory.',
  'state directory':
    'Bulk runs need --no-history, and rate limits are not shared between processes. Set TTCTL_STATE_DIR to another directory.',
};

const checkWritable = (name: string, path: string, found: string): Finding => {
  const errno = UNWRITABLE_ADVICE[name] === undefined ? undefined : explainUnwritable(path);
  return errno === undefined
    ? ok(name, found)
    : warning(name, `${found}; it cannot be written: ${errno}`, UNWRITABLE_ADVICE[name] ?? '');
};

/** What chooses a directory. */
const VARIABLES: Readonly<Record<string, string>> = {
  'settings directory': 'TTCTL_CONFIG_DIR',
  'state directory': 'TTCTL_STATE_DIR',
  'cache directory': 'TTCTL_CACHE_DIR',
};

const formatMisfitAdvice = (name: string, kind: Inspection['kind']): string => {
  const variable = VARIABLES[name];
  if (variable !== undefined) return `Set ${variable} to another directory.`;
  // Others need a device.
  return kind === 'other' ? 'Use a regular file instead.' : 'Move it away.';
};

/** What keeps a place from being used, or from being safe to use. */
const findUnusable = (
  name: string,
  path: string,
  found: string,
  { kind, isLink, trustProblem }: Inspection,
): Finding | undefined => {
  const wanted = name.endsWith('file') ? 'file' : 'directory';
  if (isLink && (kind === 'absent' || name === 'credentials file'))
    return problem(name, found, `Replace the link with the ${wanted}.`);
  if (kind !== wanted)
    return problem(name, `${found}: it is not a ${wanted}`, formatMisfitAdvice(name, kind));
  if (wanted === 'file' && trustProblem === 'owner')
    return problem(name, `${found} belongs to another user`, formatTakeOwnership(path));
  if (wanted === 'file' && trustProblem === 'writable')
    return problem(name, `${found}: others can write to it`, formatRestrictAccess(path));
  return undefined;
};

/** Who else may look at it. */
const findOpen = (name: string, path: string, found: string, mode?: string): Finding | undefined => {
  const isFile = VARIABLES[name] === undefined;
  const wanted = isFile ? '600' : '700';
  if (mode === wanted || name === 'settings file') return undefined;
  const condition = isFile ? 'Make' : 'If only ttctl uses it, make';
  return warning(name, found, `${condition} it private: ${commandLine`chmod ${wanted} ${path}`}`);
};

/** Whether what lies there is ours and closed to others, and whether more could be written. */
export const inspectLocation = (name: string, path: string | undefined): Finding => {
  if (path === undefined)
    return warning(name, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');
  const inspection = inspectPath(path);
  const { kind, isLink, mode } = inspection;
  if (kind === 'absent' && !isLink) return checkWritable(name, path, `${path} (does not exist yet)`);
  if (kind === 'unreadable')
    return problem(name, `${path} cannot be read`, 'Check the permissions of its parent directories.');
  const target = isLink ? `link to ${kind === 'absent' ? 'nothing' : `a ${kind}`}` : kind;
  const found = `${path} (${[target, mode].filter(Boolean).join(', ')})`;
  return (
    findUnusable(name, path, found, inspection) ??
    findOpen(name, path, found, mode) ??
    checkWritable(name, path, found)
  );
};

/** What lies at a path. */
interface Inspection {
  /** Of the target, where it is a link that leads somewhere. */
  readonly kind: 'absent' | 'file' | 'directory' | 'other' | 'unreadable';
  readonly isLink: boolean;
  /** Permission bits as text: `600`; of a link those of its target, since everybody may write the link itself. */
  readonly mode?: string;
  /** Who else has a say in it. */
  readonly trustProblem?: TrustProblem | undefined;
}

/** Never throws: what cannot be looked at is `unreadable`. */
const inspectPath = (path: string): Inspection => {
  let isLink = false;
  try {
    isLink = lstatSync(path).isSymbolicLink();
    const stats = statSync(path);
    const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, isLink, mode, trustProblem: judgeTrust(stats) };
  } catch (error) {
    const errno = getErrno(error);
    return { kind: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'absent' : 'unreadable', isLink };
  }
};

/**
 * Whether files can be written in this folder, or it can be made. Permissions alone do not tell (root, /proc), so a
 * folder is made where the first missing one would be, and taken away again.
 * @returns what the disk says against it: `EROFS`
 */
const explainUnwritable = (path: string): string | undefined => {
  try {
    const [first] = listMissingFolders(path);
    if (first === undefined) accessSync(path, constants.W_OK | constants.X_OK);
    else rmdirSync(mkdtempSync(join(dirname(first), '.ttctl-')));
    return undefined;
  } catch (error) {
    return getErrno(error) ?? 'unknown';
  }
};
