import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Help that the build has made ready: `help/members.json` has the pages of the noun by the words after it. */

/** What the program's own page is under: no noun begins so. */
const ROOT = '_';

/** The words whose help is asked for; `undefined`: something else is. */
const asked = (words: readonly string[]): readonly string[] | undefined => {
  if (words[0] === 'help') return words.slice(1);
  const last = words.at(-1);
  return last === '--help' || last === '-h' ? words.slice(0, -1) : undefined;
};

const pageOf = ([noun = ROOT, ...rest]: readonly string[]): string | undefined => {
  try {
    const file = join(__dirname, 'help', `${noun}.json`);
    const pages: Readonly<Record<string, string>> = JSON.parse(readFileSync(file, 'utf8'));
    const path = rest.join(' ');
    return Object.hasOwn(pages, path) ? pages[path] : undefined;
  } catch {
    return undefined; // an alias, a mistake: the program knows
  }
};

/** `undefined` for what is the program's business: colour that is asked for, a narrow terminal, other names, mistakes. */
export const readyHelp = (words: readonly string[]): string | undefined => {
  const path = asked(words);
  if (path === undefined || !path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const { stdout, env } = process;
  if (env.FORCE_COLOR || (stdout.isTTY && stdout.columns < 80)) return undefined;
  const text = pageOf(path);
  const plain = !stdout.isTTY || env.NO_COLOR || env.TERM === 'dumb';
  return plain ? text : text?.replace(/^[A-Z].*:$/gm, '\u001b[1m$&\u001b[22m');
};
