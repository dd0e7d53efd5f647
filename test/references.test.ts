import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/document.ts';

/** What comments and pages name is in the repository: files, headings, requirements, scripts of package.json. */

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
const MADE = /^(?:\.\/|\.\.\/)*(?:dist|man|node_modules|coverage)\//;

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
const IDS = new Set(
  [...read('docs/requirements.md').matchAll(/^- \*\*(.*?)\*\*/gm)].map(([, id = '']) => id),
);
const PREFIXES = [...new Set([...IDS].flatMap((id) => (id.includes('-') ? [id.split('-')[0]] : [])))];
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

const ID = /^[A-Z]{1,4}-?\d+\b/;
const BARE = new RegExp(`(?<![\\w-])([A-H][1-9]|(?:${PREFIXES.join('|')})-\\d+)\\b`, 'g');

/** The ids behind `docs/requirements.md, `, and how long that is. */
const idsBehind = (text: string): { readonly ids: readonly string[]; readonly length: number } => {
  const ids: string[] = [];
  let at = 0;
  for (;;) {
    const [id] = ID.exec(text.slice(at)) ?? [];
    if (id === undefined) return { ids, length: at };
    ids.push(id);
    at += id.length;
    const [between = ''] = /^(?:, and |, | and | to )/.exec(text.slice(at)) ?? [];
    at += between.length;
  }
};

const requirementsMissing = ({ file, text }: Passage): string[] => {
  if (file === 'docs/requirements.md') return [];
  const faults: string[] = [];
  let others = text;
  for (const match of [...text.matchAll(/docs\/requirements\.md, /g)].reverse()) {
    const begin = match.index + match[0].length;
    const { ids, length } = idsBehind(text.slice(begin));
    if (ids.length === 0) faults.push(`no requirement ${text.slice(begin, begin + 20)}`);
    faults.push(...ids.filter((id) => !IDS.has(id)).map((id) => `no requirement ${id}`));
    others = others.slice(0, match.index) + others.slice(begin + length);
  }
  return [...faults, ...[...others.matchAll(BARE)].map(([, id]) => `${id} without docs/requirements.md`)];
};

const scriptsMissing = ({ text }: Passage): string[] =>
  [...text.matchAll(/\bnpm run (?:-\S+ )?([a-z][\w:]*)/g)].flatMap(([, name = '']) =>
    name in SCRIPTS ? [] : [`no script ${name} in package.json`],
  );

const CODE = FILES.filter((file) => /^src\/.*\.ts$/.test(file))
  .map((file) => read(file).replace(COMMENT, ' '))
  .join('\n');
const NAMES_IN_CODE = new Set(CODE.match(/[A-Za-z_$][\w$]*/g));
const THROWABLE = new Set([
  ...[...CODE.matchAll(/\bexport (?:declare )?class (\w+)/g)].map(([, name = '']) => name),
  'Error',
  'RangeError',
]);

/** Names that comments may give although no code of ours has them. */
const NAMES_ELSEWHERE = new Set(['awk', 'man', 'nohup', 'HTTP_PROXY']);

const isNameThere = (name: string): boolean => NAMES_IN_CODE.has(name) || NAMES_ELSEWHERE.has(name);

/** `name`, `name.part` and `{@link name}` of comments of the source. Headings of columns (`asked_by`) are no names of code. */
const namesMissing = ({ file, text }: Passage): string[] => {
  if (!/^src\/.*\.ts$/.test(file)) return [];
  const quoted = [...text.matchAll(/(?:`|\{@link )([A-Za-z$][\w$]*(?:\.[A-Za-z$][\w$]*)*)(?:\(\))?[`}]/g)];
  const thrown = [...text.matchAll(/@throws (?:\{@link )?(?:[^;@.]*; (?:else )?)?([A-Z]\w+)/g)];
  return [
    ...quoted.flatMap(([, name = '']) =>
      /^[a-z]+_/.test(name) || name.split('.').every(isNameThere) ? [] : [`no ${name} in the code`],
    ),
    ...thrown.flatMap(([, name = '']) => (THROWABLE.has(name) ? [] : [`no class ${name} to be thrown`])),
  ];
};

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
    [filesMissing, sectionsMissing, requirementsMissing, namesMissing].flatMap((find) =>
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
    expect(TEXTS.length).toBeGreaterThan(1000);
    expect(HEADINGS.length).toBeGreaterThan(20);
    expect(IDS.size).toBeGreaterThan(200);
  });

  it.each(FOLDERS.map((folder) => `${folder}/`))('by the files of %s is there', (folder) => {
    const own = TEXTS.filter((file) => file.startsWith(folder));
    expect(own.flatMap((file) => faultsIn(file, read(file)))).toEqual([]);
  });

  it('by the pages at the top is there', () => {
    const own = TEXTS.filter((file) => !file.includes('/'));
    expect(own.flatMap((file) => faultsIn(file, read(file)))).toEqual([]);
  });

  it.each([
    ['// See nowhere.ts.', 'src/x.ts:1: no file nowhere.ts'],
    ['const a = 1; // as src/http/nowhere.ts has it', 'src/x.ts:1: no file src/http/nowhere.ts'],
    ['/**\n * Of `docs/nowhere.md`.\n */', 'src/x.ts:1: no file docs/nowhere.md'],
    ['\n/** In src/nowhere/. */', 'src/x.ts:2: no folder src/nowhere/'],
    ['/** As docs/service.md, Nothing, has it. */', 'src/x.ts:1: no section Nothing, has it.'],
    ['/** (docs/requirements.md, A1 and D99) */', 'src/x.ts:1: no requirement D99'],
    ['/** (docs/requirements.md, D3\n * to Z1) */', 'src/x.ts:1: no requirement Z1'],
    ['// It is not stormed (D4).', 'src/x.ts:1: D4 without docs/requirements.md'],
    ['// PERF-1 again', 'src/x.ts:1: PERF-1 without docs/requirements.md'],
    ['// npm run nothing', 'src/x.ts: no script nothing in package.json'],
    ['/** As `noSuchName` has it. */', 'src/x.ts:1: no noSuchName in the code'],
    ['/** As {@link Api.nowhere} has it. */', 'src/x.ts:1: no Api.nowhere in the code'],
    ['/** @throws Refused (400) */', 'src/x.ts:1: no class Refused to be thrown'],
    ['/** @throws Failure (exit 5); else Refused */', 'src/x.ts:1: no class Refused to be thrown'],
    [`const a = '${'spec'}/api';`, `src/x.ts: ${'spec'}/api is not of the repository`],
  ])('%j is found out', (text, fault) => {
    expect(faultsIn('src/x.ts', text)).toEqual([fault]);
  });

  it('that are tests in a block of commands are found out', () => {
    expect(faultsIn('x.md', '```sh\nnpx vitest run test/nowhere test/http\n```\n')).toEqual([
      'x.md: no tests test/nowhere',
    ]);
  });

  it.each([
    '/** @param x as http/retry.ts and ./main.ts have it: docs/service.md, Paging; docs/requirements.md, A1 to A7 and G2. */',
    '// dist/parts.js is made; src/http/ is there; `scripts/mutants/*.mjs` are some; RFC 6749, section 4',
  ])('%j is fine', (text) => {
    expect(faultsIn('src/x.ts', text)).toEqual([]);
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
