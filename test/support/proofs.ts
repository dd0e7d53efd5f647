import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What is promised, and the tests that prove it. */

export interface Promised {
  /** `BAS-1` */
  readonly id: string;
  readonly says: string;
  /** `exit-codes#is exit 8 when some failed`: a file below test/ without its ending, and a title in it. */
  readonly proofs: readonly string[];
  /** Why it is otherwise, or why no test proves it. */
  readonly because: string | undefined;
}

/** @param because where it is otherwise, or not for a test */
export const promised = (
  id: string,
  says: string,
  proofs: readonly string[],
  because?: string,
): Promised => ({ id, says, proofs, because });

const TESTS = fileURLToPath(new URL('../', import.meta.url));

const texts = new Map<string, string>();
const textOf = (file: string): string | undefined => {
  const path = `${TESTS}${file}.test.ts`;
  if (!existsSync(path)) return undefined;
  const text = texts.get(path) ?? readFileSync(path, 'utf8');
  texts.set(path, text);
  return text;
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What is wrong with a proof; `undefined` when there is such a test, and it is run. */
export const faultOf = (proof: string): string | undefined => {
  const [, file = '', title = ''] = /^([^#]+)#(.+)$/s.exec(proof) ?? [];
  const text = textOf(file);
  if (text === undefined) return `no file test/${file}.test.ts`;
  // The title as source code has it: the quote around it may be written with a backslash.
  const source = escaped(title).replace(/['"`]/g, '\\\\?$&');
  const call = new RegExp(`(\\.(?:skip|todo|fails))?\\(\\s*(['"\`])${source}\\2\\s*,`).exec(text);
  if (call === null) return `no test “${title}” in test/${file}.test.ts`;
  return call[1] === undefined ? undefined : `“${title}” in test/${file}.test.ts is not run`;
};

/** `['BAS-1', …]` of groups and how many each has. */
export const idsOf = (groups: Readonly<Record<string, number>>, separator: string): readonly string[] =>
  Object.entries(groups).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, n) => `${group}${separator}${n + 1}`),
  );
