import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What no test needs, or what is linked. */
const LEFT_OUT = new Set(['node_modules', '.git']);

const once = (text, find) => text.split(find).length === 2;

/** Undefined where the text to be replaced stands exactly once in its file; else what is wrong. */
export const misfitOf = ({ file, find, replace }, tree = root) => {
  if (find === replace) return 'replaces a text with itself';
  let text;
  try {
    text = readFileSync(join(tree, file), 'utf8');
  } catch {
    return `there is no ${file}`;
  }
  return once(text, find) ? undefined : `its text is there ${text.split(find).length - 1} times in ${file}`;
};

/** `bulk/send#is unknown`: a file below test/ without its ending, and a part of a title as the source has it. */
const parsed = (test) => {
  const [, file, title] = /^([^#]+)(?:#(.*))?$/s.exec(test);
  return { file: `test/${file}.test.ts`, title };
};

/** Placeholders of a title stand for anything. */
const patternOf = (title) =>
  title
    .split(/%(?:\d\$)?[sdifjoOc#$%]|\$\{[^}]*\}|\$[\w.]+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');

const argsOf = (tests) => {
  const wanted = tests.map(parsed);
  const files = [...new Set(wanted.map(({ file }) => file))];
  const titles = wanted.map(({ title }) => title);
  return titles.includes(undefined) ? files : [...files, '-t', titles.map(patternOf).join('|')];
};

const outcomesOf = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return [];
  }
};

/** A copy of the tree, in which one file at a time is broken. */
export const createScratch = () => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-mutants-'));
  const tree = join(folder, 'tree');
  cpSync(root, tree, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(path.slice(root.length).split('/')[0]),
  });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'dir');
  const node = (args) => spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  const build = () => {
    const { status, stderr } = node(['scripts/build.mjs']);
    if (status !== 0) throw new Error(`it does not build:\n${stderr}`);
  };
  build();
  return {
    /** Runs tests. Which fail, how many pass, and files that do not load. */
    run(tests) {
      const report = join(folder, 'report.json');
      rmSync(report, { force: true });
      const { stdout, stderr, signal } = node([
        'node_modules/vitest/vitest.mjs',
        'run',
        '--reporter=json',
        `--outputFile=${report}`,
        ...argsOf(tests),
      ]);
      if (signal !== null) throw new Error(`ended by ${signal}`);
      const files = outcomesOf(report);
      const all = files.flatMap(({ name, assertionResults }) =>
        assertionResults.map(({ status, fullName }) => ({
          status,
          test: `${name.slice(name.indexOf('/test/') + 6).replace(/\.test\.ts$/, '')} › ${fullName.trim()}`,
        })),
      );
      return {
        failed: all.filter(({ status }) => status === 'failed').map(({ test }) => test),
        passed: all.filter(({ status }) => status === 'passed').length,
        broken: files
          .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
          .map(({ name, message }) => `${name}: ${message}`),
        said: `${stdout}${stderr}`,
      };
    },
    /** Does the work while the file is broken, and built so where the tests start what is built. */
    during({ file, find, replace, build: builds = false }, work) {
      const path = join(tree, file);
      const whole = readFileSync(path, 'utf8');
      const [before, after] = whole.split(find);
      writeFileSync(path, `${before}${replace}${after}`);
      try {
        if (builds) build();
        return work();
      } finally {
        writeFileSync(path, whole);
        if (builds) build();
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
