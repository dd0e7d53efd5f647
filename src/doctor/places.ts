import { commandLine } from '../parsing/shell-word.ts';
import { explainUnwritable, type Inspection, inspectPath } from '../storage/inspect.ts';
import { formatRestrictAccess, formatTakeOwnership } from '../storage/own-files.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** What `ttctl doctor` finds of the places where things are kept. */

/** What goes without the directory, and what does not. */
const WITHOUT: Readonly<Record<string, string>> = {
  'settings directory':
    'Nothing can be stored there: pass the values as TTCTL_ variables, or set TTCTL_CONFIG_DIR to another directory.',
  'cache directory':
    'Commands start slower and completion offers no names. Set TTCTL_CACHE_DIR to another directory.',
  'state directory':
    'Bulk runs need --no-journal, and rate limits are not shared between processes. Set TTCTL_STATE_DIR to another directory.',
};

const writable = (name: string, path: string, found: string): Finding => {
  const why = WITHOUT[name] === undefined ? undefined : explainUnwritable(path);
  return why === undefined
    ? ok(name, found)
    : warning(name, `${found}; it cannot be written: ${why}`, WITHOUT[name] ?? '');
};

/** What keeps a place from being used, or from being safe to use. */
const distrust = (name: string, path: string, { kind, doubt }: Inspection): Finding | undefined => {
  const isFile = name.endsWith('file');
  const found = `${path} (${kind})`;
  if (kind === 'link' && name === 'credentials file')
    return problem(name, found, 'Replace the link with the file.');
  if (kind === 'other' || (kind !== 'link' && (kind === 'file') !== isFile))
    return problem(name, `${found}: it is not a ${isFile ? 'file' : 'directory'}`, 'Move it away.');
  if (doubt === 'owner') return problem(name, `${found} belongs to another user`, formatTakeOwnership(path));
  return undefined;
};

/** Whether what lies there is ours and closed to others, and whether more could be written. */
export const inspectLocation = (name: string, path: string | undefined): Finding => {
  if (path === undefined)
    return warning(name, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');
  const inspected = inspectPath(path);
  const { kind, mode, doubt } = inspected;
  if (kind === 'absent') return writable(name, path, `${path} (does not exist yet)`);
  if (kind === 'unreadable')
    return problem(name, `${path} cannot be read`, 'Check the permissions of its parent directories.');
  const refused = distrust(name, path, inspected);
  if (refused !== undefined) return refused;
  const found = `${path} (${kind}, ${mode})`;
  if (doubt !== undefined) {
    const who = doubt === 'group' ? 'the group' : 'others';
    return warning(name, `${found}: ${who} can write to it`, formatRestrictAccess(path, 'go-w'));
  }
  const open = name.endsWith('file') ? mode !== '600' : mode !== '700';
  if (!open || kind === 'link' || name === 'settings file') return writable(name, path, found);
  return warning(
    name,
    found,
    `Make it private: ${commandLine`chmod ${name.endsWith('file') ? '600' : '700'} ${path}`}`,
  );
};
