import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/documents.ts';

/** What comments and pages name is in the repository: files, headings, scripts of package.json. */

const FOLDERS = ['.ci', 'bin', 'completions', 'docs', 'examples', 'scripts', 'src', 'test'];

const FILES: readonly string[] = [
  ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name).slice(ROOT.length)] : [],
    ),
  ),
].filter((file) => !file.includes('node_modules'));

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What the build and the tests make: there only then. */
const MADE = /^(?:\.\/|\.\.\/)*(?:dist|node_modules|coverage)\//;

interface Passage {
  /** `src/main.ts:12` */
  readonly place: string;
  readonly file: string;
  /** Of a comment without its stars, on one line; of a page without its blocks of code. */
  readonly text: string;
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Lines of `//` that follow each other are one comment. */
const COMMENT = /(?<=^|\s|[({[,])\/\*[\s\S]*?\*\/|(?:(?<=^|\s)\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+/gm;

const commentsIn = (file: string, text: string): Passage[] =>
  [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    place: `${file}:${lineOf(text, index)}`,
    file,
    text: comment
      .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)/gm, ' ')
      .replace(/\*\/$/, '')
      .replace(/\s+/g, ' '),
  }));

const hashesIn = (file: string, text: string): Passage[] =>
  [...text.matchAll(/^\s*# (.*)$/gm)].map((match) => ({
    place: `${file}:${lineOf(text, match.index)}`,
    file,
    text: match[1] ?? '',
  }));

const pageOf = (file: string, text: string): Passage[] => [
  { place: file, file, text: text.replace(/^```[\s\S]*?^```$/gm, '').replace(/^ {4}.*$/gm, '') },
];

/** @param file tells of what kind the text is */
const passagesIn = (file: string, text: string): Passage[] => {
  if (file.endsWith('.md')) return pageOf(file, text);
  if (/\.(?:[cm]?[jt]s)$/.test(file)) return commentsIn(file, text);
  return /\.session$|^\.ci\//.test(file) ? hashesIn(file, text) : [];
};

const HEADINGS = [...read('docs/service.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
const { scripts: SCRIPTS } = JSON.parse(read('package.json'));

const NAME =
  /(?<![\w/.{}$*<>@:-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|md|session|svg)\b(?![-\w/(*])/g;
const FOLDER =
  /(?<![\w/.{}$*<>@:-])(?:src|test|scripts|docs|examples|completions|bin)\/(?:[\w-]+\/)*(?![\w{<])/g;

/** From the root, from beside the file, or the end of a path: of a bare name, of one in the same folder of `FOLDERS`. */
const isThere = (name: string, file: string): boolean => {
  const top = name.includes('/') ? '' : file.slice(0, file.indexOf('/') + 1);
  return (
    MADE.test(name) ||
    existsSync(join(ROOT, dirname(file), name)) ||
    FILES.some((path) => path === name || (path.startsWith(top) && path.endsWith(`/${name}`)))
  );
};

const filesMissing = ({ file, text }: Passage): string[] => [
  ...[...text.matchAll(NAME)].flatMap(([name]) => (isThere(name, file) ? [] : [`no file ${name}`])),
  ...[...text.matchAll(FOLDER)].flatMap(([name]) =>
    existsSync(join(ROOT, name)) ? [] : [`no folder ${name}`],
  ),
];

const sectionsMissing = ({ text }: Passage): string[] =>
  [...text.matchAll(/docs\/service\.md, (?=[A-Z])/g)].flatMap((match) => {
    const rest = text.slice(match.index + match[0].length);
    const named = HEADINGS.filter((heading) => rest.startsWith(heading));
    return named.length > 0 ? [] : [`no section ${rest.slice(0, 30).trim()}`];
  });

const scriptsMissing = ({ text }: Passage): string[] =>
  [...text.matchAll(/\bnpm run (?:-\S+ )?([a-z][\w:]*)/g)].flatMap(([, name = '']) =>
    name in SCRIPTS ? [] : [`no script ${name} in package.json`],
  );

/** In blocks of commands too, which passages leave out. */
const testsMissing = ({ file, text }: Passage): string[] => {
  const named = file.endsWith('.md') ? text.matchAll(/(?<![\w./-])test\/[\w./-]*\w/g) : [];
  return [...named].flatMap(([path]) => (existsSync(join(ROOT, path)) ? [] : [`no tests ${path}`]));
};

/** Of the folders that the documents were in that this was built from. Nothing of ours is called so. */
const ELSEWHERE = /(?<![\w/-])(?:spec|design)\/[\w.-]*/g;

const elsewhere = ({ text }: Passage): string[] =>
  [...text.matchAll(ELSEWHERE)].map(([name]) => `${name} is not of the repository`);

/** What is named in a file that nobody can look up. */
const faultsIn = (file: string, text: string): string[] => [
  ...passagesIn(file, text).flatMap((passage) =>
    [filesMissing, sectionsMissing].flatMap((find) =>
      find(passage).map((fault) => `${passage.place}: ${fault}`),
    ),
  ),
  ...[scriptsMissing, testsMissing, elsewhere].flatMap((find) =>
    find({ place: file, file, text }).map((fault) => `${file}: ${fault}`),
  ),
];

/** All but this file, which names what is not there. */
const TEXTS = FILES.filter(
  (file) => /\.(?:md|[cm]?[jt]s|session)$|^\.ci\//.test(file) && file !== 'test/references.test.ts',
);

describe('what is named', () => {
  it('is looked for at all', () => {
    expect(TEXTS.length).toBeGreaterThan(300);
    expect(HEADINGS.length).toBeGreaterThan(10);
  });

  it.each(FOLDERS.map((folder) => `${folder}/`))('by the files of %s is there', (folder) => {
    const own = TEXTS.filter((file) => file.startsWith(folder));
    expect(own.flatMap((file) => faultsIn(file, read(file)))).toEqual([]);
  });

  // Functions, types and tables by their names in two words: `defineResource`, `RETRY_RULES`.
  it.each([
    'CONTRIBUTING.md',
    'src/README.md',
    'src/sandbox/README.md',
    'test/README.md',
    'docs/decisions.md',
  ])('by %s is in the code', (file) => {
    const code = TEXTS.filter((path) => /\.[cm]?[jt]s$/.test(path)).map(read);
    const spans =
      read(file)
        .match(/`[^`\n]+`/g)
        ?.join(' ') ?? '';
    const names = new Set(spans.match(/\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b/g));
    const words = new Set(code.flatMap((text) => text.match(/\b[A-Za-z]\w+\b/g) ?? []));
    expect([...names].filter((name) => !words.has(name))).toEqual([]);
  });

  it('by the pages at the top is there', () => {
    const own = TEXTS.filter((file) => !file.includes('/'));
    expect(own.flatMap((file) => faultsIn(file, read(file)))).toEqual([]);
  });
});

describe('the links of pages', () => {
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');

  it.each(TEXTS.filter((file) => file.endsWith('.md')))('of %s lead to files and headings', (file) => {
    const from = new URL(file, `file://${ROOT}`);
    const dead = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^https?:/.test(target)) return [];
      const { pathname, hash } = new URL(target, from);
      if (!existsSync(pathname)) return [target];
      if (hash === '') return [];
      const headings = [...readFileSync(pathname, 'utf8').matchAll(/^#+ (.*)$/gm)];
      return headings.some(([, heading = '']) => `#${anchorOf(heading)}` === hash) ? [] : [target];
    });
    expect(dead).toEqual([]);
  });
});

it('package-lock.json names no registry', () => {
  expect(read('package-lock.json').match(/"resolved": "[^"]*"/g) ?? []).toEqual([]);
});
