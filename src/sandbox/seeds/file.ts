import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseJson } from '../../json/parse.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { MAX_BYTES, MAX_SIZE } from '../../parsing/input-limits.ts';
import * as read from '../read.ts';
import { findRecord } from '../state.ts';
import type { World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { createSeedError, readSeedEntry } from './entry-reader.ts';
import { SECTIONS, type SeedFileState } from './file-sections.ts';

/**
 * A seed file: one workspace as JSON. People are named by e-mail address, the rest by name. Days are YYYY-MM-DD,
 * `today`, or `-7d` and `+7d` from today.
 */

/**
 * The world that a seed file describes.
 * @throws UsageError with file, place and, for a word that is not known, a suggestion.
 */
export const seedFromText = (text: string, file: string, options: build.SeedOptions): World => {
  const parsed = parseJson(text, { strict: true });
  if ('problem' in parsed)
    throw createSeedError(file, `line ${parsed.problem.line}`, `not JSON: ${parsed.problem.what}`);
  const document = readSeedEntry(file, parsed.value);
  const world = build.createWorld(file, options);
  const name = document.maybe('workspace', read.textReader) ?? 'Seeded workspace';
  const context = build.addWorkspace(world, options.now, name, 0);
  const state: SeedFileState = {
    file,
    context,
    members: new Map(),
    projects: new Map(),
    policies: new Map(),
    categories: new Map(),
  };
  for (const category of document.maybe('categories', read.listReader(read.textReader)) ?? []) {
    state.categories.set(category, entry.addCategory(context, category));
  }
  for (const [section, add] of SECTIONS) {
    for (const row of document.entries(section)) {
      add(state, row);
      row.close();
    }
  }
  document.close();
  const owners = Object.values(context.workspace.members).filter((member) => member.role === 'Owner');
  const owner = owners[0];
  if (owner === undefined || owners.length > 1 || findRecord(world.users, owner.user_id) === undefined) {
    throw createSeedError(file, document.place, 'exactly one member must have the role Owner');
  }
  context.workspace.owner_id = owner.user_id;
  return world;
};

/** Of regular files alone: to open a pipe may wait for ever, and what it has may never end. */
const readRegularFile = (path: string): string => {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('It is not a regular file.');
    if (stats.size > MAX_BYTES) throw new Error(`It is larger than ${MAX_SIZE}.`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
};

/**
 * The world of a seed file (an adapter).
 * @throws Failure where the file cannot be read, UsageError where something in it is wrong.
 */
export const readSeedFile = (path: string, options: build.SeedOptions): World => {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (cause) {
    throw new Failure(`cannot read the seed file ${path}`, {
      code: 'seed_file',
      exit: EXIT.usage,
      reason: cause instanceof Error ? cause.message : 'unknown',
      cause,
    });
  }
  return seedFromText(text, path, options);
};
