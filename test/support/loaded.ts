import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is loaded with a file of the source. */

export const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Every file that is loaded with this one, dynamic imports and types left out. */
export const loadedWith = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(SRC, file), 'utf8');
  for (const [, to = ''] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'/gm))
    loadedWith(normalize(join(dirname(file), to)), seen);
  return seen;
};
