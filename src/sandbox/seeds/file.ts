import * as read from '../read.ts';
import { find } from '../state.ts';
import type { World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { entryOf, mistake } from './entry-reader.ts';
import { type Known, SECTIONS } from './file-sections.ts';
import { type Located, NotJson, parseLocated } from './located.ts';

/**
 * A seed file: one workspace as JSON. People are named by e-mail address, the rest by name. Days are YYYY-MM-DD,
 * `today`, or `-7d` and `+7d` from today.
 */

const parse = (text: string, file: string): Located => {
  try {
    return parseLocated(text);
  } catch (error) {
    if (error instanceof NotJson) throw mistake(file, error.line, `not JSON: ${error.message}`);
    throw error;
  }
};

/**
 * The world that a seed file describes.
 * @throws UsageError with file, line and, for a word that is not known, a suggestion.
 */
export const growFromText = (text: string, file: string, options: build.SeedOptions): World => {
  const document = entryOf(file, parse(text, file));
  const world = build.newWorld(file, options);
  const name = document.maybe('workspace', read.text) ?? 'Seeded workspace';
  const plot = build.addSpace(world, options.now, name, 0);
  const known: Known = {
    file,
    plot,
    members: new Map(),
    projects: new Map(),
    policies: new Map(),
    categories: new Map(),
  };
  for (const category of document.maybe('categories', read.listOf(read.text)) ?? []) {
    known.categories.set(category, entry.addCategory(plot, category));
  }
  for (const [section, add] of SECTIONS) {
    for (const row of document.entries(section)) {
      add(known, row);
      row.close();
    }
  }
  document.close();
  const owners = Object.values(plot.space.members).filter((member) => member.role === 'Owner');
  const owner = owners[0];
  if (owner === undefined || owners.length > 1 || find(world.users, owner.user_id) === undefined) {
    throw mistake(file, document.line, 'members must have exactly one with the role Owner');
  }
  plot.space.owner_id = owner.user_id;
  return world;
};
