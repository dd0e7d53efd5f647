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
    return [{ from: file, to, dynamic }];
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
  for (const file of files) {
    const text = readFileSync(join(SRC, file), 'utf8');
    const program = parseAst(text, { lang: 'ts' });
    lengths.set(file, text.split('\n').length - 1);
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
    files: files.length,
    lines: [...lengths.values()].reduce((sum, one) => sum + one, 0),
  };
};

const STARTED = `import { start } from './main.js';
process.on('exit', () => process.stderr.write('\\nmodules ' + JSON.stringify([...globalThis.__loaded])));
start();
`;

/** The modules that approving a timesheet loads, each built by itself; those of the embedded service are not the client's. */
const measureApproval = async () => {
  const out = mkdtempSync(join(root, 'dist-house-'));
  const home = mkdtempSync(join(out, 'home-'));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/**/*.ts'],
      outdir: out,
      outbase: 'src',
      format: 'esm',
      target: 'node20.18',
      define: { __VERSION__: '"0"', __HOMEPAGE__: '""', __BUGS__: '""' },
      banner: { js: '(globalThis.__loaded ??= new Set()).add(import.meta.url);' },
      logLevel: 'error',
    });
    for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.js')) continue;
      const path = join(out, name);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replaceAll(/(["']\.[^"']*)\.ts(["'])/g, '$1.js$2'));
    }
    const begin = join(out, 'begin.mjs');
    writeFileSync(begin, STARTED);
    const run = async (...args) => {
      const child = spawn(process.execPath, [begin, ...args], {
        env: { PATH: process.env.PATH, HOME: home, TTCTL_PROFILE: 'sandbox', LANG: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [printed, told, [exit]] = await Promise.all([
        child.stdout.toArray(),
        child.stderr.toArray(),
        once(child, 'close'),
      ]);
      const list = /^modules (.*)$/m.exec(told.join(''))?.[1];
      if (exit !== 0 || list === undefined) throw new Error(`${args.join(' ')} failed:\n${told.join('')}`);
      const loaded = JSON.parse(list).map((url) => url.slice(pathToFileURL(out).href.length + 1));
      return { printed: printed.join('').trim(), loaded };
    };
    const { printed: id } = await run(
      'timesheets',
      'list',
      '--status',
      'submitted',
      '--limit',
      '1',
      '-o',
      'ids',
    );
    const { loaded } = await run('timesheets', 'approve', id, '--yes');
    return loaded.filter((name) => !name.startsWith('sandbox/'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

const main = async () => {
  const loaded = await measureApproval();
  const { lines, files, ...counted } = measureSources();
  const rows = [
    ['exported names with several meanings', counted.names, 6],
    ['files that import commander', counted.commander, 1],
    ['WeakMap, WeakSet', counted.weak, 0],
    ['functions over 80 lines', counted.functions, 0],
    ['files of up to 40 lines with one importer', counted.small, 30],
    ['cycles of imports', counted.cycles, 0],
    ['modules loaded by timesheets approve <id> --yes', loaded, 85],
  ];
  for (const [title, list, most] of rows) {
    console.log(`${title}: ${list.length} (at most ${most})`);
    if (process.argv.includes('--list')) for (const one of list) console.log(`  ${one}`);
  }
  console.log(`lines of src/: ${lines} in ${files} files (at most 60000)`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
