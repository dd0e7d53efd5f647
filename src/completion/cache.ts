import { closeSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn } from '../disk/trust.ts';
import { ownUid } from '../disk/user.ts';
import type { Kind } from '../resources/kinds.ts';
import type { Entry } from './entry.ts';

/**
 * What the completion knows of records: a file for each kind, below `completion/` of the cache directory. All of it
 * may be deleted at any time. Each file says what it is about, since names in paths may fall together.
 */

/** Whose records they are. */
export interface Scope {
  readonly profile: string;
  /** `https://host/api/v2` */
  readonly base: string;
  /** Id; `undefined` for what belongs to no workspace: the workspaces themselves. */
  readonly workspace: string | undefined;
}

/** Kept of one kind, the first of a list. */
export const MOST_ENTRIES = 2000;
/** A file of ours has not a quarter of it. */
export const MOST_BYTES = 4 * 1024 * 1024;

const LONGEST_NAME = 150;

/** Where the files of a scope are. `undefined`: it has no place. */
export const folderOf = (cache: string, { profile, base }: Pick<Scope, 'profile' | 'base'>) => {
  const name = encodeURIComponent(base).replaceAll('*', '%2A');
  return name.length > LONGEST_NAME ? undefined : join(folderOfProfile(cache, profile), name);
};

const folderOfProfile = (cache: string, profile: string): string => join(cache, 'completion', profile);

export const fileOf = (folder: string, kind: Kind, workspace: string | undefined): string =>
  join(folder, `${workspace === undefined ? '' : `${encodeURIComponent(workspace)}.`}${kind}.json`);

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { id?: unknown }).id === 'string' &&
  Object.values(value).every((member) => typeof member === 'string');

/** The text of a file of ours that is not absurdly large. @throws what the system says */
export const readBounded = (file: string, most: number): string => {
  const opened = openOwn(file, ownUid());
  if (opened === undefined) throw new Error(`${file} is not ours`);
  try {
    if (opened.stats.size > most) throw new Error(`${file} is too large`);
    return readFileSync(opened.fd, 'utf8');
  } finally {
    closeSync(opened.fd);
  }
};

/** What a file's text holds of the scope; nothing for one that is damaged, or about something else. Never throws. */
export const parseEntries = (text: string, scope: Scope): readonly Entry[] => {
  try {
    const { version, profile, base, workspace, entries } = JSON.parse(text);
    const same = profile === scope.profile && base === scope.base && workspace === (scope.workspace ?? null);
    return version === 1 && same && Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
};

export const formatEntries = ({ profile, base, workspace }: Scope, entries: readonly Entry[]): string =>
  `${JSON.stringify({ version: 1, profile, base, workspace: workspace ?? null, entries })}\n`;

/** Never throws. */
export const readEntries = (cache: string, kind: Kind, scope: Scope): readonly Entry[] => {
  const folder = folderOf(cache, scope);
  if (folder === undefined) return [];
  try {
    return parseEntries(readBounded(fileOf(folder, kind, scope.workspace), MOST_BYTES), scope);
  } catch {
    return [];
  }
};

/** Forgets what was kept for a profile: it is signed out, or gone. Never throws. */
export const forgetProfile = (cache: string, profile: string): void => {
  try {
    rmSync(folderOfProfile(cache, profile), { recursive: true, force: true });
  } catch {
    // What stays there is offered to nobody but this user.
  }
};
