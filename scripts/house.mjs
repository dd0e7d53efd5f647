// Measures the house: `npm run house`. `measureSources` is what test/architecture.test.ts holds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parseAst } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(root, 'src');

const isNode = (value) => typeof value === 'object' && value !== null && typeof value.type === 'string';
const childrenOf = (node) => Object.values(node).flat().filter(isNode);
function* within(node) {
  yield node;
  for (const child of childrenOf(node)) yield* within(child);
}

/** Names that a source declares and exports itself: values and types. */
const exportedNames = (program) =>
  program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || !node.declaration) return [];
    const { declaration } = node;
    return declaration.declarations?.map(({ id }) => id.name) ?? [declaration.id.name];
  });

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

const importsOf = (program, file) =>
  [...within(program)].flatMap((node) => {
    const dynamic = node.type === 'ImportExpression' || node.type === 'TSImportType';
    const target = /^(Import|ExportNamed|ExportAll)(Declaration|Expression)$|^TSImportType$/.test(node.type)
      ? (node.source?.value ?? node.argument?.literal?.value ?? node.argument?.value)
      : undefined;
    if (typeof target !== 'string') return [];
    const to = target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
    const typeOnly = node.importKind === 'type' || node.exportKind === 'type';
    return [{ from: file, to, dynamic, typeOnly }];
  });

/** Circles of imports, types and dynamic ones counted: the strongly connected parts of more than one file. */
const cyclesOf = (files, imports) => {
  const next = new Map(files.map((file) => [file, []]));
  for (const { from, to } of imports) if (next.has(to)) next.get(from).push(to);
  const reach = (start) => {
    const seen = new Set();
    const queue = [...next.get(start)];
    for (const file of queue) {
      if (seen.has(file)) continue;
      seen.add(file);
      queue.push(...next.get(file));
    }
    return seen;
  };
  const reached = new Map(files.map((file) => [file, reach(file)]));
  const parts = new Map();
  for (const file of files) {
    const others = files.filter((one) => reached.get(file).has(one) && reached.get(one).has(file));
    if (others.length > 0) parts.set(others.join(' '), others);
  }
  return [...parts.values()];
};

/**
 * What can be read from the sources.
 * @returns every measure as the list of what it counts; `files` and `lines` are numbers
 */
export const measureSources = () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const names = new Map();
  const imports = [];
  const functions = [];
  const weak = [];
  const spread = [];
  const lengths = new Map();
  let characters = 0;
  for (const file of files) {
    const text = readFileSync(join(SRC, file), 'utf8');
    const program = parseAst(text, { lang: 'ts' });
    lengths.set(file, text.split('\n').length - 1);
    characters += text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replace(/\s+/g, '').length;
    for (const name of exportedNames(program)) names.set(name, [...(names.get(name) ?? []), file]);
    imports.push(...importsOf(program, file));
    const lineAt = (at) => text.slice(0, at).split('\n').length;
    for (const node of within(program)) {
      if (FUNCTIONS.has(node.type)) {
        const [from, to] = [lineAt(node.start), lineAt(node.end)];
        if (to - from + 1 > 80) functions.push(`${file}:${from} (${to - from + 1})`);
      }
      if (node.type === 'Identifier' && /^Weak(Map|Set)$/.test(node.name))
        weak.push(`${file}:${lineAt(node.start)}`);
      if (node.arguments?.some(({ type }) => type === 'SpreadElement'))
        spread.push({
          callee: text.slice(node.callee.start, node.callee.end),
          place: `${file}:${lineAt(node.start)}`,
        });
    }
  }
  const importers = (file) => new Set(imports.filter(({ to }) => to === file).map(({ from }) => from));
  return {
    names: [...names]
      .filter(([, at]) => new Set(at).size > 1)
      .map(([name, at]) => `${name}: ${at.join(', ')}`),
    commander: [...importers('commander')],
    weak,
    spread,
    functions,
    small: files.filter(
      (file) => !file.startsWith('commands/') && lengths.get(file) <= 40 && importers(file).size === 1,
    ),
    cycles: cyclesOf(files, imports).map((part) => part.join(' ')),
    dynamic: imports.filter(({ dynamic }) => dynamic).map(({ from, to }) => `${from} → ${to}`),
    imports,
    characters,
    files: files.length,
    lines: [...lengths.values()].reduce((sum, one) => sum + one, 0),
  };
};

/**
 * The modules that approving a timesheet loads, and the functions with a name in them that are called, by V8's coverage of the
 * program with each module built by itself; those of the embedded service are not the client's.
 */
const measureApproval = async () => {
  const out = mkdtempSync(join(root, 'dist-house-'));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/**/*.ts'],
      outdir: out,
      outbase: 'src',
      format: 'esm',
      target: 'node20.18',
      define: { __VERSION__: '"0"', __HOMEPAGE__: '""', __BUGS__: '""' },
      logLevel: 'error',
    });
    for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.js')) continue;
      const path = join(out, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(["']\.[^"']*)\.ts(["'])/g, '$1.js$2'));
    }
    const begin = join(out, 'begin.mjs');
    writeFileSync(begin, "import { start } from './main.js';\nstart();\n");
    const id = await runProgram(out, begin, 'timesheets list --status submitted --limit 1 -o ids');
    await runProgram(out, begin, `timesheets approve ${id} --yes`, join(out, 'coverage'));
    const [file] = readdirSync(join(out, 'coverage'));
    const { result } = JSON.parse(readFileSync(join(out, 'coverage', file), 'utf8'));
    const scripts = result.flatMap(({ url, functions }) => {
      const name = url.slice(pathToFileURL(out).href.length + 1);
      const isOurs =
        url.startsWith(pathToFileURL(out).href) && name !== 'begin.mjs' && !name.startsWith('sandbox/');
      return isOurs ? [{ name, functions }] : [];
    });
    const called = scripts.flatMap(({ name, functions }) =>
      functions
        .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
        .map(({ functionName }) => `${name} ${functionName}`),
    );
    return { modules: scripts.map(({ name }) => name), called };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

/** @param coverage folder for V8's coverage @returns what the command printed */
const runProgram = async (out, begin, line, coverage) => {
  const env = { PATH: process.env.PATH, HOME: join(out, 'home'), TTCTL_PROFILE: 'sandbox', LANG: 'C.UTF-8' };
  const child = spawn(process.execPath, [begin, ...line.split(' ')], {
    env: coverage === undefined ? env : { ...env, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [exit]] = await Promise.all([child.stdout.toArray(), once(child, 'close')]);
  if (exit !== 0) throw new Error(`${line} failed`);
  return printed.join('').trim();
};

/** @param folder below the root @param kinds endings of the files that count @returns their texts by name */
const readFiles = (folder, kinds) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => kinds.some((kind) => name.endsWith(kind)))
    .map((name) => ({ name, lines: readFileSync(join(root, folder, name), 'utf8').match(/.*\n/g) ?? [] }));

/** `it` of `it.each(table)('title', test)`. */
const calledName = (node) =>
  node.name ?? (node.object || node.callee ? calledName(node.object ?? node.callee) : '');

/** The lines of a test file that stand in a case: an `it` or a `test`, or a table that `each` goes through. */
const linesOfCases = (lines) => {
  const text = lines.join('');
  const nodes = [...within(parseAst(text, { lang: 'ts' }))];
  const cases = nodes.filter(
    (node) => node.type === 'CallExpression' && ['it', 'test', 'describe'].includes(calledName(node.callee)),
  );
  const named = new Set(cases.flatMap(({ callee }) => [...within(callee)].flatMap(({ name }) => name ?? [])));
  const isTable = ({ type, id, init }) =>
    type === 'VariableDeclarator' && named.has(id.name) && !FUNCTIONS.has(init?.type);
  const tests = cases.filter(({ callee }) => calledName(callee) !== 'describe');
  const lineAt = (at) => text.slice(0, at).split('\n').length - 1;
  const spans = [...tests, ...nodes.filter(isTable)].map(({ start, end }) => [lineAt(start), lineAt(end)]);
  return lines.filter((_line, at) => spans.some(([from, to]) => from <= at && at <= to));
};

/** Lines and files of the tests, and how many of the lines with text stand inside a case or are of a session. */
const measureTests = () => {
  const files = readFiles('test', ['.ts', '.mjs', '.cjs', '.session']);
  const ofCases = ({ name, lines }) =>
    name.endsWith('.session') ? lines : name.endsWith('.test.ts') ? linesOfCases(lines) : [];
  const withText = (lines) => lines.filter((line) => line.trim() !== '').length;
  const share = withText(files.flatMap(ofCases)) / withText(files.flatMap(({ lines }) => lines));
  return `${countLines(files)}, ${(share * 100).toFixed(1)} % inside a case`;
};

const countLines = (files) => `${files.flatMap(({ lines }) => lines).length} in ${files.length} files`;

const main = async () => {
  const { modules, called } = await measureApproval();
  const { lines, files, characters, imports: _, ...counted } = measureSources();
  const rows = [
    ['exported names with several meanings', counted.names, 6],
    ['files that import commander', counted.commander, 1],
    ['WeakMap, WeakSet', counted.weak, 0],
    ['functions over 80 lines', counted.functions, 0],
    ['files of up to 40 lines with one importer', counted.small, 30],
    ['cycles of imports', counted.cycles, 0],
    ['dynamic imports', counted.dynamic, 60],
    ['modules loaded by timesheets approve <id> --yes', modules, 85],
    ['functions called by it', called, 330],
  ];
  for (const [title, list, most] of rows) {
    console.log(`${title}: ${list.length} (at most ${most})`);
    if (process.argv.includes('--list')) for (const one of list) console.log(`  ${one}`);
  }
  console.log(`lines of src/: ${lines} in ${files} files (at most 37000 in 360)`);
  console.log(`characters of code in src/: ${characters} (at most 1120000)`);
  console.log(`lines of scripts/: ${countLines(readFiles('scripts', ['.mjs', '.mts']))} (at most 1500)`);
  console.log(`lines of test/: ${measureTests()} (at most 34000 in 260, at least 75 %)`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
