import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The documents for users, and the blocks of code in them. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];

export const readDocument = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

/** Language of a block without a text, for `<!-- a day later -->`: what follows is done on the next day. */
export const LATER = 'later';
const PART = /^## (.*)$|^```(\w*)\n([\s\S]*?)\n?^```$|^<!-- a day later -->$/gm;

/** The sections of a document by `README.md: Sign in`, each with its blocks. A block before the first belongs to none. */
export const sectionsOf = (path: string) => {
  const text = readDocument(path);
  const sections: { name: string; blocks: { language: string; text: string; line: number }[] }[] = [];
  for (const { 1: heading, 2: language = LATER, 3: body = '', index } of text.matchAll(PART)) {
    const line = text.slice(0, index).split('\n').length + 1;
    if (heading !== undefined) sections.push({ name: `${path}: ${heading}`, blocks: [] });
    else sections.at(-1)?.blocks.push({ language, text: body, line });
  }
  return sections;
};

/** Turns the clock of each `ttctl` to a Friday whenever the test is run: what the documents show is of that day. */
export const fridayClock = () => ({
  NODE_OPTIONS: `--require "${fileURLToPath(new URL('turn-clock.cjs', import.meta.url))}"`,
  CLOCK_AHEAD_MS: String(Date.parse('2026-11-20T10:00:00Z') - Date.now()),
});
