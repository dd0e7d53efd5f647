import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOPIC_PAGES } from '../../src/help/topics.ts';
import { sessionPlace } from '../support/session-runner.ts';
import { openScript } from '../support/terminal.ts';

/** The commands that the topics of help show are run as written, on a sandbox, at a terminal. */

/** What is not run, by how it begins. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'ttctl auth login': 'no such service; test/auth/',
  'ttctl jobs show <job>': 'needs a job; docs/bulk.md shows one',
  'ttctl jobs resume <job>': 'needs a job; docs/bulk.md shows one',
  'ttctl undo <job>': 'needs a job; docs/changes.md undoes one',
};

const TOPICS = Object.keys(TOPIC_PAGES) as (keyof typeof TOPIC_PAGES)[];

const recipesOf = (topic: keyof typeof TOPIC_PAGES): readonly string[] =>
  TOPIC_PAGES[topic]
    .flatMap((section) => section.split('\n'))
    .flatMap((line) => (line.startsWith('$ ') ? line.slice(2) : []))
    .filter((line) => !Object.keys(NOT_RUN).some((begin) => line.startsWith(begin)));

/** The files that they name. */
const PREPARED = [
  "printf 'email,firstname,lastname\\nana@example.com,Ana,Sousa\\n' > people.csv",
  "printf 'ttctl timesheets approve --all --yes\\n' > approve-all.sh",
].join('\n');

describe.concurrent('the recipes of', () => {
  it.each(TOPICS)('help %s', async (topic) => {
    const recipes = recipesOf(topic);
    const place = sessionPlace({ TTCTL_PROFILE: 'sandbox' });
    const file = join(place.folder, 'recipes');
    // `people.csv` is a heading alone once a recipe has written it.
    const lines = recipes.map((line) =>
      line.endsWith('> people.csv') ? line.replace('people', 'heading') : line,
    );
    writeFileSync(file, ['cd "$(dirname "$0")"', PREPARED, ...lines].join('\n'));
    try {
      const { exit, screen } = await openScript(file, place.env, [[/\(y\/N\)/, 'y\r']]).ended;
      expect(exit, screen).toBe(0);
    } finally {
      place.remove();
    }
  });

  it('all of them are more than a few', async () => {
    expect(TOPICS.flatMap(recipesOf).length).toBeGreaterThan(8);
  });
});
