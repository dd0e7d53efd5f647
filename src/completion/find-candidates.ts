import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../sandbox/world.ts';
import type { FindCandidates } from './answer.ts';
import { readBounded } from './cache.ts';
import { listRunCandidates } from './jobs.ts';
import type { Candidate } from './plain.ts';
import { listRecordCandidates } from './records.ts';
import {
  type CompletionEnvironment,
  findCompletionScope,
  findDirectories,
  getGivenValue,
  readSettingsFile,
} from './scope.ts';
import { listSnapshotCandidates } from './snapshots.ts';
import { listWorldDeliveries, listWorldPeople, listWorldTokens, readWorld } from './world.ts';

/** What this machine knows of values that change: a cache, files of its own. Nothing is asked for, nothing written. */

const DELIVERY_FILE = /^delivery\.[0-9a-f]{32}\.json$/;
const MAX_DELIVERIES = 50;
/** What is larger is left out: its id may be copied from `webhooks received`. */
const MAX_BYTES = 64 * 1024;

const readDelivery = (file: string): readonly Candidate[] => {
  try {
    const { id, event, received_at } = JSON.parse(readBounded(file, MAX_BYTES));
    const about = [event, received_at].filter((part) => typeof part === 'string').join(', ');
    return typeof id === 'string' ? [{ value: id, about }] : [];
  } catch {
    return [];
  }
};

/** The deliveries that were kept in the folder, the latest first. Never throws. */
const listDeliveries = (folder: string): readonly Candidate[] => {
  try {
    return readdirSync(folder)
      .filter((name) => DELIVERY_FILE.test(name))
      .map((name) => join(folder, name))
      .map((file) => ({ file, modifiedAt: statSync(file).mtimeMs }))
      .sort((a, b) => b.modifiedAt - a.modifiedAt)
      .slice(0, MAX_DELIVERIES)
      .flatMap(({ file }) => readDelivery(file));
  } catch {
    return [];
  }
};

const listProfiles = (surroundings: CompletionEnvironment): readonly Candidate[] => {
  const stored = Object.entries(readSettingsFile(surroundings).profiles).map(
    ([value, { base_url: about }]): Candidate => ({ value, ...(about === undefined ? {} : { about }) }),
  );
  const sandbox = { value: 'sandbox', about: 'run the whole service locally, for trials and tests' };
  return stored.some(({ value }) => value === 'sandbox') ? stored : [...stored, sandbox];
};

const listOfWorld = (
  state: string | undefined,
  list: (world: World) => readonly Candidate[],
): readonly Candidate[] => {
  const world = state === undefined ? undefined : readWorld(state);
  return world === undefined ? [] : list(world);
};

const listSandboxPeople = (world: World): readonly Candidate[] =>
  listWorldPeople(world).flatMap(({ word, about }) =>
    word === undefined ? [] : { value: word, ...(about === undefined ? {} : { about }) },
  );

const listTimeZones = (): readonly Candidate[] =>
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value }));

export const createCandidateFinder =
  (surroundings: CompletionEnvironment): FindCandidates =>
  (value, position, typed) => {
    const { state } = findDirectories(surroundings);
    switch (value.source) {
      case undefined:
      case 'command':
        return [];
      case 'profile':
        return listProfiles(surroundings);
      case 'job':
      case 'open-job':
      case 'run':
      case 'entry':
        return state === undefined ? [] : listRunCandidates(state, value.source);
      case 'delivery': {
        const folder = getGivenValue(position, '--store') ?? (state && join(state, 'webhooks'));
        return folder === undefined ? [] : listDeliveries(folder);
      }
      case 'sandbox-delivery':
        return listOfWorld(state, listWorldDeliveries);
      case 'sandbox-token':
        return listOfWorld(state, listWorldTokens);
      case 'sandbox-snapshot':
        return state === undefined ? [] : listSnapshotCandidates(state, surroundings, position);
      case 'sandbox-person':
        return listOfWorld(state, listSandboxPeople);
      case 'time-zone':
        return listTimeZones();
      default: {
        const project = getGivenValue(position, '--project');
        const member = getGivenValue(position, '--member');
        const filter = { typed, project, member };
        return listRecordCandidates(value.source, findCompletionScope(surroundings, position), value, filter);
      }
    }
  };
