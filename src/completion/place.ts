import { join } from 'node:path';
import { directories, type Environment } from '../config/paths.ts';
import type { SettingsFile } from '../config/profile.ts';
import { resolveSettings } from '../config/settings.ts';
import { readSettings } from '../config/settings-file.ts';
import type { Kind } from '../resources/kinds.ts';
import { readEntries } from './cache.ts';
import type { Entry } from './entry.ts';
import { flagsOf, type Position } from './walk.ts';
import { readWorld, worldEntries } from './world.ts';

/** Which service and workspace a command line means, and what is known of its records on this machine. */

export interface Surroundings {
  readonly env: Environment;
  /** As in `process.platform`. */
  readonly platform: string;
  readonly home: string | undefined;
  /** `process.kill`: with signal 0 it only asks. */
  readonly kill: (pid: number, signal: 0) => boolean;
}

export interface Place {
  entries(kind: Kind): readonly Entry[];
}

/** The last value that a flag was given. */
export const givenValue = ({ path, given }: Position, long: string): string | undefined => {
  const flag = flagsOf(path).find((candidate) => candidate.long === long);
  return flag && given.get(flag)?.at(-1);
};

export const directoriesOf = ({ env, platform, home }: Surroundings) => directories(env, platform, home);

/** @throws UsageError for a damaged one */
export const settingsFileOf = (surroundings: Surroundings): SettingsFile => {
  const { config } = directoriesOf(surroundings);
  return readSettings(config && join(config, 'settings.json'));
};

/** What says which service is meant. Other variables may be wrong without harm. */
const DECIDING = ['TTCTL_PROFILE', 'TTCTL_BASE_URL', 'TTCTL_WORKSPACE'];

const decidingOf = (env: Environment): Environment =>
  Object.fromEntries(DECIDING.map((name) => [name, env[name]]));

const settingsOf = (surroundings: Surroundings, position: Position) => {
  const [profile, workspace] = [givenValue(position, '--profile'), givenValue(position, '--workspace')];
  const flags = {
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const env = decidingOf(surroundings.env);
  return resolveSettings({ flags, env, file: settingsFileOf(surroundings) });
};

/** Whether the embedded sandbox is said. @throws UsageError as `placeOf` */
export const embeddedMeant = (surroundings: Surroundings, position: Position): boolean =>
  settingsOf(surroundings, position).embedded;

const NOTHING: Place = { entries: () => [] };

const embeddedPlace = (state: string | undefined, workspace: string | undefined): Place => {
  const world = state === undefined ? undefined : readWorld(state);
  return world === undefined ? NOTHING : { entries: (kind) => worldEntries(world, kind, workspace) };
};

const cachedPlace = (
  cache: string,
  service: { readonly profile: string; readonly base: string },
  wanted: string | undefined,
): Place => {
  const idOf = (text: string): string | undefined => {
    if (/^\d+$/.test(text)) return text;
    const name = text.toLowerCase();
    const workspaces = readEntries(cache, 'workspace', { ...service, workspace: undefined });
    return workspaces.find(({ word }) => word?.toLowerCase() === name)?.id;
  };
  return {
    entries(kind) {
      if (kind === 'workspace') return readEntries(cache, kind, { ...service, workspace: undefined });
      const workspace = wanted === undefined ? undefined : idOf(wanted);
      return workspace === undefined ? [] : readEntries(cache, kind, { ...service, workspace });
    },
  };
};

/** @throws UsageError where settings are damaged, or name a profile that is not there */
export const placeOf = (surroundings: Surroundings, position: Position): Place => {
  const { profile, embedded, baseUrl, workspace } = settingsOf(surroundings, position);
  const { cache, state } = directoriesOf(surroundings);
  if (embedded) return embeddedPlace(state, workspace?.value);
  if (cache === undefined || baseUrl === undefined) return NOTHING;
  return cachedPlace(cache, { profile: profile.value, base: baseUrl.value }, workspace?.value);
};
