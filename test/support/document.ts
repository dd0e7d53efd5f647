import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The documents for users, and the blocks of code in them. */

export interface Block {
  /** Of the fence: `sh`, `console`, `yaml`; or `LATER`. */
  readonly language: string;
  readonly text: string;
  /** Line of its first line in the file, from 1. */
  readonly line: number;
}

export interface Section {
  /** `README.md: Sign in` */
  readonly name: string;
  readonly blocks: readonly Block[];
}

/** Of a block without a text, for `<!-- a day later -->`: what follows is done on the next day. */
export const LATER = 'later';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];

export const readDocument = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

interface Open {
  readonly language: string;
  readonly line: number;
  readonly lines: string[];
}

/** The sections of a document (`## `), each with its blocks. A block before the first belongs to none. */
export const sectionsOf = (path: string, text: string): Section[] => {
  const sections: { name: string; blocks: Block[] }[] = [];
  let open: Open | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null && open === undefined) {
      open = { language: fence[1] ?? '', line: index + 2, lines: [] };
    } else if (fence !== null && open !== undefined) {
      sections.at(-1)?.blocks.push({ language: open.language, line: open.line, text: open.lines.join('\n') });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line === '<!-- a day later -->')
      sections.at(-1)?.blocks.push({ language: LATER, line: index + 1, text: '' });
    else if (line.startsWith('## ')) sections.push({ name: `${path}: ${line.slice(3)}`, blocks: [] });
  }
  if (open !== undefined) throw new Error(`${path}:${open.line - 1}: a block that does not end`);
  return sections;
};
