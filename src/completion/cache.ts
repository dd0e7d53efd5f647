import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordKind } from '../api/kinds.ts';
import { readSmall } from '../storage/own-files.ts';
import type { RecordEntry } from './entry.ts';

/**
 * What the completion knows of records: a file for each kind, below `completion/` of the cache directory. All of it
 * may be deleted at any time. Each file says what it is about, since names in paths may fall together.
 */

export interface CacheScope {
  readonly profile: string;
  /** `https://host/api/v2` */
  readonly base: string;
  /** Id; `undefined` for what belongs to no workspace: the workspaces themselves. */
  readonly workspace: string | undefined;
}

/** Kept of one kind, the first of a list. */
export const MAX_ENTRIES = 2000;
/** A file of ours has not a quarter of it. */
export const MAX_CACHE_BYTES = 4 * 1024 * 1024;

const MAX_NAME = 150;

/** Where the files of a scope are. `undefined`: it has no place. */
export const getCacheFolder = (cache: string, { profile, base }: Pick<CacheScope, 'profile' | 'base'>) => {
  const name = encodeURIComponent(base).replaceAll('*', '%2A');
  return name.length > MAX_NAME ? undefined : join(getProfileFolder(cache, profile), name);
};

const getProfileFolder = (cache: string, profile: string): string => join(cache, 'completion', profile);

export const getCacheFile = (folder: string, kind: RecordKind, workspace: string | undefined): string =>
  join(folder, `${workspace === undefined ? '' : `${encodeURIComponent(workspace)}.`}${kind}.json`);

const isEntry = (value: unknown): value is RecordEntry =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { id?: unknown }).id === 'string' &&
  Object.values(value).every((member) => typeof member === 'string');

/** What a file's text holds of the scope; nothing for one that is damaged, or about something else. Never throws. */
export const parseEntries = (text: string, scope: CacheScope): readonly RecordEntry[] => {
  try {
    const { version, profile, base, workspace, entries } = JSON.parse(text);
    const same = profile === scope.profile && base === scope.base && workspace === (scope.workspace ?? null);
    return version === 1 && same && Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
};

export const formatEntries = (
  { profile, base, workspace }: CacheScope,
  entries: readonly RecordEntry[],
): string => `${JSON.stringify({ version: 1, profile, base, workspace: workspace ?? null, entries })}\n`;

/** Never throws. */
export const readEntries = (cache: string, kind: RecordKind, scope: CacheScope): readonly RecordEntry[] => {
  const folder = getCacheFolder(cache, scope);
  if (folder === undefined) return [];
  return parseEntries(readSmall(getCacheFile(folder, kind, scope.workspace), MAX_CACHE_BYTES) ?? '', scope);
};

/** Forgets what was kept for a profile: it is signed out, or gone. Never throws. */
export const forgetProfile = (cache: string, profile: string): void => {
  try {
    rmSync(getProfileFolder(cache, profile), { recursive: true, force: true });
  } catch {
    // What stays there is offered to nobody but this user.
  }
};
