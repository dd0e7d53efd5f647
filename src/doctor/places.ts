import { commandLine } from '../parsing/shell-word.ts';
import { explainUnwritable, type Inspection, inspectPath } from '../storage/inspect.ts';
import { formatRestrictAccess, formatTakeOwnership } from '../storage/own-files.ts';
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

/** What keeps a place from being used, or from being safe to use. */
const findUnusable = (
  name: string,
  path: string,
  { kind, trustProblem }: Inspection,
): Finding | undefined => {
  const isFile = name.endsWith('file');
  const found = `${path} (${kind})`;
  if (kind === 'link' && name === 'credentials file')
    return problem(name, found, 'Replace the link with the file.');
  if (kind === 'other' || (kind !== 'link' && (kind === 'file') !== isFile))
    return problem(name, `${found}: it is not a ${isFile ? 'file' : 'directory'}`, 'Move it away.');
  if (trustProblem === 'owner')
    return problem(name, `${found} belongs to another user`, formatTakeOwnership(path));
  return undefined;
};

/** Whether what lies there is ours and closed to others, and whether more could be written. */
export const inspectLocation = (name: string, path: string | undefined): Finding => {
  if (path === undefined)
    return warning(name, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');
  const inspection = inspectPath(path);
  const { kind, mode, trustProblem } = inspection;
  if (kind === 'absent') return checkWritable(name, path, `${path} (does not exist yet)`);
  if (kind === 'unreadable')
    return problem(name, `${path} cannot be read`, 'Check the permissions of its parent directories.');
  const unusable = findUnusable(name, path, inspection);
  if (unusable !== undefined) return unusable;
  const found = `${path} (${kind}, ${mode})`;
  if (trustProblem !== undefined) {
    const who = trustProblem === 'group' ? 'the group' : 'others';
    return warning(name, `${found}: ${who} can write to it`, formatRestrictAccess(path, 'go-w'));
  }
  const isOpen = name.endsWith('file') ? mode !== '600' : mode !== '700';
  if (!isOpen || kind === 'link' || name === 'settings file') return checkWritable(name, path, found);
  return warning(
    name,
    found,
    `Make it private: ${commandLine`chmod ${name.endsWith('file') ? '600' : '700'} ${path}`}`,
  );
};
