import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/documents.ts';

/** What comments and pages name is in the repository: files, headings, scripts of package.json, functions. */

const FOLDERS = ['.ci', 'bin', 'completions', 'docs', 'examples', 'scripts', 'src', 'test'];
const FILES = ['.', ...FOLDERS]
  .flatMap((folder) => {
    const entries = readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  })
  .map((path) => path.slice(ROOT.length))
  .filter((file) => !file.includes('node_modules'));
const isText = (file: string) => /\.(?:md|[cm]?[jt]s|session)$|^\.ci\//.test(file);
/** All but this file, which names what is not there. */
const TEXTS = FILES.filter((file) => isText(file) && file !== 'test/references.test.ts');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

it.each(['', ...FOLDERS])('what the texts in the folder "%s" name is there', (folder) => {
  const isInRoot = (path: string) => existsSync(join(ROOT, path));
  /** From the root, from beside the file, or the end of a path: of a bare name, of one in the same of the `FOLDERS`. */
  const isThere = (name: string, file: string) => {
    const top = name.includes('/') ? '' : file.slice(0, file.indexOf('/') + 1);
    // What the build and the tests make is there only then.
    return (
      /^(?:\.\/|\.\.\/)*(?:dist|node_modules|coverage)\//.test(name) ||
      isInRoot(join(dirname(file), name)) ||
      FILES.some((path) => path === name || (path.startsWith(top) && path.endsWith(`/${name}`)))
    );
  };
  // Lines of `//` that follow each other are one comment.
  const comment = /(?<=^|\s|[({[,])\/\*[\s\S]*?\*\/|(?:(?<=^|\s)\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+/gm;
  const stars = /^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm;
  /** What a file says in words: a comment is a line; a page is without its blocks of code. */
  const wordsOf = (file: string, text: string) => {
    if (file.endsWith('.md')) return text.replace(/^```[\s\S]*?^```$|^ {4}.*$/gm, '');
    if (!/\.[cm]?[jt]s$/.test(file)) return (text.match(/^\s*# .*$/gm) ?? []).join('\n');
    const comments = text.match(comment) ?? [];
    return comments.map((one) => one.replace(stars, ' ').replace(/\s+/g, ' ')).join('\n');
  };
  const name =
    /(?<![\w/.{}$*<>@:-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|md|session|svg)\b(?![-\w/(*])/g;
  const folderName =
    /(?<![\w/.{}$*<>@:-])(?:src|test|scripts|docs|examples|completions|bin)\/(?:[\w-]+\/)*(?![\w{<])/g;
  const sections = read('docs/service.md').match(/(?<=^## ).*$/gm) ?? [];
  const { scripts } = JSON.parse(read('package.json'));
  /** What is named in a file that nobody can look up. */
  const faultsIn = (file: string) => {
    const text = read(file);
    const words = wordsOf(file, text);
    const named = (pattern: RegExp, where = words): readonly string[] => where.match(pattern) ?? [];
    return [
      ...named(name).filter((one) => !isThere(one, file)),
      ...named(folderName).filter((one) => !isInRoot(one)),
      ...named(/(?<=docs\/service\.md, )[A-Z].*/g).filter(
        (rest) => !sections.some((section) => rest.startsWith(section)),
      ),
      ...named(/(?<=\bnpm run (?:-\S+ )?)[a-z][\w:]*/g, text).filter((one) => !(one in scripts)),
      // In blocks of commands too.
      ...(file.endsWith('.md') ? named(/(?<![\w./-])test\/[\w./-]*\w/g, text) : []).filter(
        (path) => !isInRoot(path),
      ),
      // The folders that the documents were in that this was built from.
      ...named(/(?<![\w/-])(?:spec|design)\/[\w.-]*/g, text),
    ].map((one) => `${file}: ${one}`);
  };
  expect(TEXTS.length).toBeGreaterThan(300);
  const own = TEXTS.filter((file) => (file.match(/^[^/]+(?=\/)/)?.[0] ?? '') === folder);
  expect(own.flatMap(faultsIn)).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'src/README.md', 'src/sandbox/README.md', 'test/README.md', 'docs/decisions.md'])(
  'functions, types and tables that %s names are in the code',
  (file) => {
    const spans = read(file).match(/`[^`\n]+`/g) ?? [];
    const named = new Set(spans.join(' ').match(/\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b/g));
    const code = TEXTS.filter((path) => /\.[cm]?[jt]s$/.test(path)).map(read);
    const known = new Set(code.flatMap((text) => text.match(/\b[A-Za-z]\w+\b/g) ?? []));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  },
);

it.each(TEXTS.filter((file) => file.endsWith('.md')))(
  'the links of %s lead to files and headings',
  (file) => {
    const anchorsOf = (path: string) =>
      (readFileSync(path, 'utf8').match(/(?<=^#+ ).*$/gm) ?? []).map((heading) =>
        heading
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
    const dead = (read(file).match(/(?<=\]\()(?!https?:)[^)\s]+(?=\))/g) ?? []).filter((target) => {
      const { pathname, hash } = new URL(target, new URL(file, `file://${ROOT}`));
      return !existsSync(pathname) || (hash !== '' && !anchorsOf(pathname).includes(hash.slice(1)));
    });
    expect(dead).toEqual([]);
  },
);

it('package-lock.json names no registry', () => {
  expect(read('package-lock.json').match(/"resolved": "[^"]*"/g) ?? []).toEqual([]);
});
