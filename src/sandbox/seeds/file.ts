import { parseJson } from '../../json/parse.ts';
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
