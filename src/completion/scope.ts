import { join } from 'node:path';
import type { RecordKind } from '../api/kinds.ts';
import { type Environment, resolveDirectories } from '../config/environment.ts';
import { resolveSettings } from '../config/settings.ts';
import type { SettingsFile } from '../config/store.ts';
import { readSettings } from '../config/store.ts';
import { readEntries } from './cache.ts';
import type { RecordEntry } from './entry.ts';
import { listKnownFlags, type Position } from './walk.ts';
import { listWorldEntries, readWorld } from './world.ts';

/** Which service and workspace a command line means, and what is known of its records on this machine. */

export interface CompletionEnvironment {
  readonly env: Environment;
  readonly platform: string;
  readonly home: string | undefined;
  /** `process.kill`: with signal 0 it only asks. */
  readonly kill: (pid: number, signal: 0) => boolean;
}

export interface CompletionScope {
  entries(kind: RecordKind): readonly RecordEntry[];
}

export const getGivenValue = ({ path, given }: Position, long: string): string | undefined => {
  const flag = listKnownFlags(path).find((candidate) => candidate.long === long);
  return flag && given.get(flag)?.at(-1);
};

export const findDirectories = ({ env, platform, home }: CompletionEnvironment) =>
  resolveDirectories(env, platform, home);

/** @throws UsageError for a damaged one */
export const readSettingsFile = (surroundings: CompletionEnvironment): SettingsFile => {
  const { config } = findDirectories(surroundings);
  return readSettings(config && join(config, 'settings.json'));
};

/** What says which service is meant. Other variables may be wrong without harm. */
const SELECTING_VARIABLES = ['TTCTL_PROFILE', 'TTCTL_BASE_URL', 'TTCTL_WORKSPACE'];

const pickVariables = (env: Environment): Environment =>
  Object.fromEntries(SELECTING_VARIABLES.map((name) => [name, env[name]]));

const resolveLineSettings = (surroundings: CompletionEnvironment, position: Position) => {
  const [profile, workspace] = [getGivenValue(position, '--profile'), getGivenValue(position, '--workspace')];
  const flags = {
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const env = pickVariables(surroundings.env);
  return resolveSettings({ flags, env, file: readSettingsFile(surroundings) });
};

/** Whether the embedded sandbox is said. @throws UsageError as `findCompletionScope` */
export const isEmbedded = (surroundings: CompletionEnvironment, position: Position): boolean =>
  resolveLineSettings(surroundings, position).embedded;

const NOTHING: CompletionScope = { entries: () => [] };

const createEmbeddedScope = (state: string | undefined, workspace: string | undefined): CompletionScope => {
  const world = state === undefined ? undefined : readWorld(state);
  return world === undefined ? NOTHING : { entries: (kind) => listWorldEntries(world, kind, workspace) };
};

const createCachedScope = (
  cache: string,
  service: { readonly profile: string; readonly base: string },
  workspaceName: string | undefined,
): CompletionScope => {
  const findWorkspaceId = (text: string): string | undefined => {
    if (/^\d+$/.test(text)) return text;
    const name = text.toLowerCase();
    const workspaces = readEntries(cache, 'workspace', { ...service, workspace: undefined });
    return workspaces.find(({ word }) => word?.toLowerCase() === name)?.id;
  };
  return {
    entries(kind) {
      if (kind === 'workspace') return readEntries(cache, kind, { ...service, workspace: undefined });
      const workspace = workspaceName === undefined ? undefined : findWorkspaceId(workspaceName);
      return workspace === undefined ? [] : readEntries(cache, kind, { ...service, workspace });
    },
  };
};

/** @throws UsageError where settings are damaged, or name a profile that is not there */
export const findCompletionScope = (
  surroundings: CompletionEnvironment,
  position: Position,
): CompletionScope => {
  const { profile, embedded, baseUrl, workspace } = resolveLineSettings(surroundings, position);
  const { cache, state } = findDirectories(surroundings);
  if (embedded) return createEmbeddedScope(state, workspace?.value);
  if (cache === undefined || baseUrl === undefined) return NOTHING;
  return createCachedScope(cache, { profile: profile.value, base: baseUrl.value }, workspace?.value);
};
