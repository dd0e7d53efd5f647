import * as read from '../read.ts';
import { findRecord } from '../state.ts';
import type { World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { createSeedError, readSeedEntry } from './entry-reader.ts';
import { SECTIONS, type SeedFileState } from './file-sections.ts';
import { type Located, NotJson, parseLocated } from './located.ts';

/**
 * A seed file: one workspace as JSON. People are named by e-mail address, the rest by name. Days are YYYY-MM-DD,
 * `today`, or `-7d` and `+7d` from today.
 */

const parse = (text: string, file: string): Located => {
  try {
    return parseLocated(text);
  } catch (error) {
    if (error instanceof NotJson) throw createSeedError(file, error.line, `not JSON: ${error.message}`);
    throw error;
  }
};

/**
 * The world that a seed file describes.
 * @throws UsageError with file, line and, for a word that is not known, a suggestion.
 */
export const seedFromText = (text: string, file: string, options: build.SeedOptions): World => {
  const document = readSeedEntry(file, parse(text, file));
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
    throw createSeedError(file, document.line, 'exactly one member must have the role Owner');
  }
  context.workspace.owner_id = owner.user_id;
  return world;
};
