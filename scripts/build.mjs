// Builds dist/: a split bundle, one CommonJS part for each lazily loaded module, all in one file (src/bootstrap/parts.ts).
// esbuild splits ES modules only, so it is done in two steps: split as ESM, then turn each file into CommonJS.
// CommonJS starts faster than ESM on every supported Node (npm run bench).
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { minify } from 'terser';
import { LIBRARY, writeLibrary } from './build-library.mjs';
import { smallPageTexts } from './small-page-texts.mjs';
import { tableDrawing } from './table-drawing.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Built beside and swapped in at the end, so that a command that starts meanwhile finds a whole one.
const fresh = join(root, `dist-${process.pid}`);
const { version, homepage = '', bugs = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const addresses = { homepage, bugs: bugs.url ?? bugs };

const moduleUrl = 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;';

/** What every command that is carried out loads. Of a noun: what it shares with others. */
const TOGETHER = [
  'src/main.ts',
  'src/commands/members/index.ts',
  'src/runtime/open-context.ts',
  'src/rate-limit/budgets.ts',
  'src/completion/cache-observed.ts',
  'src/output/formats/json.ts',
];
const ALONE = ['src/commands/members/index.ts'];

/** Commander is CommonJS, and asks for parts of Node. */
const requireForEsm =
  "import { createRequire } from 'node:module'; const require = createRequire('file:///');";

/** Commander loads `child_process` for a kind of subcommand that ttctl has none of; loading it costs 3 ms of every start. */
const withoutChildProcess = {
  name: 'without-child-process',
  setup(plugin) {
    plugin.onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/')
        ? { path: 'child_process', namespace: 'empty' }
        : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** What says which formats there are, and writes in none of them: a bundle of its own needs no writer. */
const withoutWriters = {
  name: 'without-writers',
  setup(plugin) {
    plugin.onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, ({ importer, kind }) =>
      kind === 'dynamic-import' && importer.endsWith(join('output', 'formats', 'formats.ts'))
        ? { path: 'writer', namespace: 'empty' }
        : undefined,
    );
    plugin.onLoad({ filter: /^writer$/, namespace: 'empty' }, () => ({ contents: 'export {};' }));
  },
};

/** What a topic of the help says never changes at run time: each becomes its own text, and needs none of its sources. */
const settledTopics = {
  name: 'settled-topics',
  setup(plugin) {
    plugin.onLoad({ filter: /[/\\]help[/\\]topics[/\\][\w-]+\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        entryPoints: [path],
        bundle: true,
        write: false,
        format: 'esm',
        platform: 'node',
        mainFields: ['module', 'main'],
        banner: { js: requireForEsm },
        plugins: [withoutChildProcess, withoutWriters],
      });
      const code = Buffer.from(outputFiles[0].contents).toString('base64');
      const made = Object.entries(await import(`data:text/javascript;base64,${code}`));
      const settled = made.map(([name, page]) => `export const ${name} = ${JSON.stringify(page)};`);
      return { contents: settled.join('\n') };
    });
  },
};

/** Of undici only what goes through proxies: its fetch, sockets and caches are half of it. */
const proxiesOfUndici = {
  name: 'proxies-of-undici',
  setup(plugin) {
    plugin.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'proxies' }));
    plugin.onLoad({ filter: /.*/, namespace: 'proxies' }, () => ({
      // As undici's own index does it, with the one method that a proxy is asked by.
      contents: `require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
        exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');`,
      resolveDir: root,
    }));
    // Its parser is in it twice. Without the quicker one it takes the other, which does for a proxy.
    plugin.onLoad({ filter: /llhttp_simd-wasm\.js$/ }, () => ({ contents: "throw new Error('left out');" }));
    // The other is packed: as text it could hardly be made smaller.
    plugin.onLoad({ filter: /llhttp-wasm\.js$/ }, ({ path }) => {
      const packedText = brotliCompressSync(createRequire(path)(path)).toString('base64');
      return {
        contents: `const { brotliDecompressSync } = require('node:zlib');
          module.exports = brotliDecompressSync(Buffer.from('${packedText}', 'base64'));`,
      };
    });
    // Of the parser's constants, two of its thirty tables are looked into.
    plugin.onLoad({ filter: /llhttp\/constants\.js$/ }, ({ path }) => {
      const { ERROR, TYPE } = createRequire(path)(path);
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })};` };
    });
    // Its channels without what logs them.
    plugin.onLoad({ filter: /undici\/lib\/core\/diagnostics\.js$/ }, ({ path }) => {
      const { channels } = createRequire(path)(path);
      const names = Object.entries(channels).map(([key, { name }]) => [key, name]);
      return {
        contents: `const { channel } = require('node:diagnostics_channel');
          exports.channels = Object.fromEntries(${JSON.stringify(names)}.map(([key, name]) => [key, channel(name)]));`,
      };
    });
    // HTTP/2 and SOCKS are off unless they are asked for, and bodies are for its own `fetch`: CONNECT has none.
    plugin.onLoad(
      { filter: /undici\/lib\/(dispatcher\/(client-h2|socks5-proxy-agent)|web\/fetch\/body)\.js$/ },
      () => ({
        contents: 'module.exports = {};',
      }),
    );
  },
};

/**
 * Of conf what keeps a file. Left out: its write, which is ours, with what that listens to (the end of the process,
 * signals); encryption, watching, and the reckoning of versions. Ajv would be four times all of conf: the schema is
 * checked by what checks it wherever settings are read (`test/config/schema.test.ts` holds that to be what Ajv says).
 */
const fileOfConf = {
  name: 'file-of-conf',
  setup(plugin) {
    const UNUSED = /^(ajv-formats|atomically|debounce-fn|env-paths|semver|uint8array-extras)$/;
    const fromConf = (importer) => importer.includes('/node_modules/conf/');
    plugin.onResolve({ filter: UNUSED }, ({ path, importer }) =>
      fromConf(importer) ? { path, namespace: 'unused' } : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      // Ajv is told of its formats; there are none.
      contents: path === 'ajv-formats' ? 'exports.default = () => {};' : 'module.exports = {};',
    }));
    plugin.onResolve({ filter: /^ajv\/dist\/2020\.js$/ }, ({ importer }) =>
      fromConf(importer) ? { path: 'ajv', namespace: 'schema' } : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: 'schema' }, () => ({
      contents: `import { findViolation } from './src/config/profile.ts';
        export class Ajv2020 {
          compile(schema) {
            const validate = (value) => {
              const found = findViolation(schema, value);
              validate.errors = found && [{ instancePath: '/' + found.member, message: found.what }];
              return found === undefined;
            };
            return validate;
          }
        }`,
      resolveDir: root,
    }));
  },
};

const split = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', renew: 'src/renew.ts', library: LIBRARY },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node20.18',
  outdir: fresh,
  chunkNames: '[name]-[hash]',
  define: {
    __VERSION__: JSON.stringify(version),
    // Told in the help, where the package has them.
    __HOMEPAGE__: JSON.stringify(addresses.homepage),
    __BUGS__: JSON.stringify(addresses.bugs),
    'import.meta.url': 'importMetaUrl',
  },
  legalComments: 'none',
  metafile: true,
  plugins: [withoutChildProcess, settledTopics, proxiesOfUndici, fileOfConf, smallPageTexts, tableDrawing],
  write: false,
});

mkdirSync(fresh, { recursive: true });
process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));

/** Part → what esbuild says of it. */
const outputs = new Map(
  Object.entries(split.metafile.outputs).map(([path, output]) => [basename(path, '.js'), output]),
);
const texts = new Map(split.outputFiles.map(({ path, text }) => [basename(path, '.js'), text]));
const libraryParts = closureOf('library', () => true);
const together = collectTogether();
const isShared = (name) => libraryParts.has(name) && !together.has(name);
const packs = packed([...texts.keys()]);
/** Part → its pack, and its place in there. */
const places = new Map(packs.flatMap((names, pack) => names.map((name, place) => [name, [pack, place]])));
/** Part → the parts that it takes something from. */
const needs = new Map();
const checkedParts = new Set();

/** Part → its code. */
const codes = new Map();
for (const [name, source] of texts) codes.set(name, await asPart(name, source));
await shortenNames();
for (const part of texts.keys()) checkNoCircle(part);
// The packs stand in one file: finding and opening fifty files would cost more than reading what they say. Those that the
// library needs too stand in its file.
const firstShared = packs.findIndex((names) => isShared(names[0]));
const packTexts = packs.map((names) => `[${names.map((name) => codes.get(name)).join(',')}]`);
const text = Buffer.from(packTexts.slice(0, firstShared).join('\n'), 'ascii');
writeFileSync(join(fresh, 'parts.js'), text);
const library = writeLibrary(root, fresh, {
  packs: packTexts.slice(firstShared),
  first: firstShared,
  start: places.get('library'),
  others: [...libraryParts]
    .filter((name) => !isShared(name))
    .map((name) => [places.get(name), codes.get(name)]),
  modules: [...libraryParts].flatMap((name) => outputs.get(name).imports.filter(({ external }) => external)),
});
const toLengths = (texts) => texts.map(({ length }) => length);
const index = {
  starts: { main: places.get('main'), renew: places.get('renew') },
  files: [
    { name: 'parts.js', offset: 0, lengths: toLengths(packTexts.slice(0, firstShared)) },
    { name: 'sandbox.cjs', offset: library.offset, lengths: toLengths(packTexts.slice(firstShared)) },
  ],
};
writeFileSync(join(fresh, 'complete.json'), JSON.stringify(await completionTree()));
const fingerprint = createHash('sha256').update(text).update(library.text).digest('hex').slice(0, 12);
await writeStarts();

// The manual is made of the commands themselves, by a bundle that is not kept.
const maker = join(fresh, 'manual.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['src/codegen/manual.ts'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  outfile: maker,
  banner: { js: requireForEsm },
  plugins: [withoutChildProcess, withoutWriters],
  logLevel: 'error',
});
const { buildManualPages, buildHelpTexts } = await import(pathToFileURL(maker).href);
const pages = await buildManualPages(version);
rmSync(maker);
const freshManual = join(root, `man-${process.pid}`);
mkdirSync(freshManual);
for (const [name, text] of pages) writeFileSync(join(freshManual, name), text);

// What is answered without loading the program: the version, and help that a pipe or a wide terminal gets.
mkdirSync(join(fresh, 'help'));
for (const [word, texts] of await buildHelpTexts(addresses)) {
  writeFileSync(join(fresh, 'help', `${word || '_'}.json`), JSON.stringify(texts));
}

writeFileSync(join(fresh, 'THIRD-PARTY-NOTICES.txt'), notices(Object.keys(split.metafile.inputs)));

rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);
rmSync(join(root, 'man'), { recursive: true, force: true });
renameSync(freshManual, join(root, 'man'));

/** The tree of commands as plain data: their modules, bundled for this alone, are run once. */
async function completionTree() {
  const file = join(fresh, 'table.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/codegen/completion-table.ts'],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node20.18',
    outfile: file,
    plugins: [withoutWriters],
    logLevel: 'error',
  });
  const { buildCompletionTable, pack } = createRequire(import.meta.url)(file);
  rmSync(file);
  return pack(await buildCompletionTable());
}

/** Names, versions and licence texts of the packages whose code is in the bundle. */
function notices(inputs) {
  const folders = inputs
    .map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0])
    .filter(Boolean);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return `ttctl contains code of these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

/**
 * A file of the split bundle as a function that returns what it exports. What a part takes from others are plain
 * constants, with none of the getters that esbuild makes for modules that need each other while they are being run: ours
 * do not. Nothing happens when a module is loaded (architecture), so a part from which nothing is taken is not loaded.
 * Where a name that others take is set again later, or parts take from each other in a circle, the build fails: they
 * would have the old value, or none.
 */
async function asPart(name, source) {
  const { imports } = outputs.get(name);
  const known = new Set(imports.map(({ path, external }) => (external ? path : `./${basename(path)}`)));
  const loaded = (id) => {
    if (!known.has(id)) throw new Error(`${name} imports ${id}, which esbuild does not say`);
    if (!id.startsWith('./')) return `require(${JSON.stringify(id)})`;
    return `fromPart(${places.get(basename(id, '.js')).join(',')})`;
  };
  // A variable of that name would stand between the part and what it takes.
  if (source.includes('fromPart')) throw new Error(`${name} has a name of the build: fromPart`);
  const taken = [];
  const given = [];
  const IMPORT = /^import (?:([\w$]+)?(?:, )?(?:\* as ([\w$]+)|\{([^}]*)\})? from )?"([^"]+)";$/gm;
  const body = source
    .replace(IMPORT, (_all, whole, space, names, id) => {
      const into = [whole, space, names && `{${rename(id, names)}}`].filter(Boolean);
      for (const names of into) taken.push(`const ${names} = ${loaded(id)};`);
      if (into.length > 0 && id.startsWith('./'))
        needs.set(name, [...(needs.get(name) ?? []), basename(id, '.js')]);
      return '';
    })
    .replace(/\bimport\("([^"]+)"\)/g, (_all, id) => `Promise.resolve().then(() => ${loaded(id)})`)
    .replace(/^export default /m, () => {
      given.push('default: byDefault');
      return 'const byDefault = ';
    })
    .replace(/\nexport \{([^}]*)\};\s*$/, (_all, names) => {
      const members = names.split(',').map((member) => member.trim().split(' as '));
      for (const [own] of members) checkSetOnce(name, own, source);
      given.push(...members.map(([own, other = own]) => `${shortNames(name).get(other) ?? other}: ${own}`));
      return '';
    });
  const prologue = body.includes('importMetaUrl') ? moduleUrl : '';
  const whole = `it = function (fromPart, require, __filename) {${prologue}${taken.join('\n')}\n${body}\nreturn {${given.join(', ')}};\n};`;
  // Short names make what V8 has to read, and to keep, a tenth smaller.
  const { code } = await transform(whole, { platform: 'node', target: 'node20.18', minify: true });
  return code.trim().replace(/^it=/, '').replace(/;$/, '');
}

/** terser takes the same letters for the names of all parts, which packs them a twentieth smaller than esbuild's do. */
async function shortenNames() {
  const options = {
    compress: { passes: 1, inline: 1, reduce_funcs: false, hoist_props: false, toplevel: false },
    mangle: true,
    format: { ast: true, code: false },
  };
  const { ast } = await minify(`it=[${[...codes.values()].join()}]`, options);
  const { elements } = ast.body[0].body.right;
  for (const [place, name] of [...codes.keys()].entries())
    codes.set(name, ascii(elements[place].print_to_string()));
}

/** The names that a part takes from another: `name as own, …` → `short: own, …`. */
function rename(id, names) {
  const short = id.startsWith('./') ? shortNames(basename(id, '.js')) : new Map();
  return names
    .split(',')
    .map((name) => name.trim().split(' as '))
    .map(([name, own = name]) => `${short.get(name) ?? name}: ${own}`)
    .join(', ');
}

/** Name of what a part exports → a short one. What is imported by `import()` keeps its names: they are in the code. */
function shortNames(part) {
  const { entryPoint, exports } = outputs.get(part);
  if (entryPoint !== undefined) return new Map();
  return new Map([...exports].sort().map((name, place) => [name, `_${place.toString(36)}`]));
}

/** @throws Error where the program sets a name again that other parts have taken */
function checkSetOnce(part, name, source) {
  const sets =
    source.match(
      new RegExp(`(?<![\\w$.'"])${name.replaceAll('$', '\\$')} (?:[-+*/|&?]{0,3}=)(?![=>])`, 'g'),
    ) ?? [];
  if (sets.length > 1) throw new Error(`${part} sets ${name} again, which other parts have taken`);
}

/** @throws Error where parts take from each other in a circle */
function checkNoCircle(part, above = []) {
  if (above.includes(part))
    throw new Error(`parts take from each other in a circle: ${[...above, part].join(' → ')}`);
  if (checkedParts.has(part)) return;
  for (const other of needs.get(part) ?? []) checkNoCircle(other, [...above, part]);
  checkedParts.add(part);
}

/** A part, and what it loads in the ways asked for. */
function closureOf(name, isAsked, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { path, kind } of outputs.get(name).imports)
    if (isAsked(kind) && outputs.has(basename(path, '.js'))) closureOf(basename(path, '.js'), isAsked, seen);
  return seen;
}

/** The parts that are always loaded together. */
function collectTogether() {
  const entries = new Map([...outputs].map(([name, { entryPoint }]) => [entryPoint, name]));
  const seen = new Set();
  for (const source of TOGETHER) closureOf(entries.get(source), (kind) => kind === 'import-statement', seen);
  for (const source of ALONE) seen.delete(entries.get(source));
  return seen;
}

/** The parts by packs: those that are always loaded together, then every other one alone, what the library shares last. */
function packed(names) {
  const alone = names.filter((name) => !together.has(name));
  const [own, shared] = [alone.filter((name) => !isShared(name)), alone.filter(isShared)];
  return [[...together], ...[...own, ...shared].map((name) => [name])];
}

/** One byte a character, so that a part is read with no decoding. esbuild leaves templates and patterns as they are. */
function ascii(code) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replace(/[^\0-\x7f]/g, escaped);
}

/** The files that Node is started with: they load the parts, but for the one that answers shells, which is whole. */
async function writeStarts() {
  await build({
    absWorkingDir: root,
    entryPoints: {
      entry: 'src/bootstrap/entry.ts',
      renew: 'src/bootstrap/renew.ts',
      complete: 'src/bootstrap/complete.ts',
    },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node20.18',
    outdir: fresh,
    outExtension: { '.js': '.cjs' },
    define: {
      __VERSION__: JSON.stringify(version),
      __PARTS__: JSON.stringify(index),
      __BUILD__: JSON.stringify(fingerprint),
    },
    minify: true,
    legalComments: 'none',
    plugins: [withoutWriters],
  });
}
