import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What no test needs, or what is linked. */
const LEFT_OUT = new Set(['node_modules', '.git']);

/** Undefined where the text to be replaced stands exactly once in its file; else what is wrong. */
export const misfitOf = ({ file, find, replace }, tree = root) => {
  if (find === replace) return 'replaces a text with itself';
  let text;
  try {
    text = readFileSync(join(tree, file), 'utf8');
  } catch {
    return `there is no ${file}`;
  }
  const count = text.split(find).length - 1;
  return count === 1 ? undefined : `its text is there ${count} times in ${file}`;
};

/** `changes/send#is unknown`: a file below test/ without its ending, and a part of a title as the source has it. */
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

/** Runs Node in a group of its own, so that Ctrl-C ends all that it started, and is an error here. */
const runNode = async (args, cwd) => {
  const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => process.kill(-child.pid, 'SIGKILL');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const [status, signal] = await once(child, 'close');
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (signal !== null) throw new Error('interrupted');
  return { status, said };
};

const nameOf = (path) => path.slice(path.indexOf('/test/') + '/test/'.length).replace(/\.test\.ts$/, '');

/** A copy of the tree, in which one file at a time is broken. */
export const createScratch = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-mutants-'));
  const tree = join(folder, 'tree');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const build = async () => {
    const { status, said } = await runNode(['scripts/build.mjs'], tree);
    if (status !== 0) throw new Error(`it does not build:\n${said}`);
  };
  try {
    cpSync(root, tree, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(path.slice(root.length).split('/')[0]),
    });
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'dir');
    await build();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    remove,
    /** Runs tests. Which fail, how many pass, and files that do not load. */
    async run(tests) {
      const report = join(folder, 'report.json');
      rmSync(report, { force: true });
      const reporting = ['--reporter=json', `--outputFile=${report}`];
      const { said } = await runNode(
        ['node_modules/vitest/vitest.mjs', 'run', ...reporting, ...argsOf(tests)],
        tree,
      );
      const files = outcomesOf(report);
      const all = files.flatMap(({ name, assertionResults }) =>
        assertionResults.map(({ status, fullName }) => ({
          status,
          test: `${nameOf(name)} › ${fullName.trim()}`,
        })),
      );
      return {
        failed: all.filter(({ status }) => status === 'failed').map(({ test }) => test),
        passed: all.filter(({ status }) => status === 'passed').length,
        broken: files
          .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
          .map(({ name, message }) => `${nameOf(name)}: ${message}`),
        said,
      };
    },
    /** Does the work while the file is broken, and built so where the tests start what is built. */
    async during({ file, find, replace, build: builds = false }, work) {
      const path = join(tree, file);
      const whole = readFileSync(path, 'utf8');
      const [before, after] = whole.split(find);
      writeFileSync(path, `${before}${replace}${after}`);
      try {
        if (builds) await build();
        return await work();
      } finally {
        writeFileSync(path, whole);
        if (builds) await build();
      }
    },
  };
};
