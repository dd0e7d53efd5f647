// Builds dist/ with rolldown: CommonJS, which starts faster than ES modules on every supported Node, and a file for each
// module that is loaded on demand (npm run bench). Functions and classes keep their names, so that a stack trace can be
// read.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { LIBRARY, writeLibrary } from './build-library.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Built beside and swapped in at the end, so that a command that starts meanwhile finds a whole one.
const fresh = join(root, `dist-${process.pid}`);
const { version, homepage = '', bugs = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Told in the help and in reports, where the package has them. */
const define = {
  __VERSION__: JSON.stringify(version),
  __HOMEPAGE__: JSON.stringify(homepage),
  __BUGS__: JSON.stringify(bugs.url ?? bugs),
};

/**
 * What is mostly loaded together, with all that it imports, is one file: to find and open a file costs as much as 20 kB
 * in it. The first group that has a module keeps it.
 */
const TOGETHER = {
  help: ['bootstrap/help'],
  commands: ['help/command-page', 'commands/verbs', 'resources/proof'],
  run: ['main', 'output/output'],
  write: ['commands/writes', 'changes/select'],
  sandbox: ['sandbox-host/embedded'],
};

/** Files of modules and of what they import statically. */
function collectImports(names) {
  const files = new Set(names.map((name) => join(root, 'src', `${name}.ts`)));
  for (const file of files) {
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type)[^;]*?from '(\.[^']+)';/gm,
    );
    for (const [, path] of imports) files.add(join(dirname(file), path));
  }
  return files;
}

const SHORT = { mangle: { toplevel: true, keepNames: true }, codegen: { removeWhitespace: false } };

/**
 * Members of what other files use: plain values, for nothing that a module exports is set again. Of a module that is
 * loaded whole they are getters, which need no helper from a file of its own. Local names are short, and all is ASCII,
 * which Node reads faster.
 */
const quickStart = {
  name: 'quick-start',
  generateBundle(_options, files) {
    const getter =
      /Object\.defineProperty\(exports, "(\w+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return (\w+);\s+\}\s+\}\);/g;
    const all = /require_rolldown_runtime\.__exportAll\(\{(.*?)\}, 1\)/gs;
    const helper = /^const (require_rolldown_runtime) = [^\n]*\n(?!.*\b\1\b)/s;
    const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const { code, fileName } of Object.values(files)) {
      if (!fileName.endsWith('.cjs')) continue;
      const quick = code
        .replace(getter, 'exports.$1 = $2;')
        .replace(
          all,
          (_, members) => `{${members.replace(/(\w+): \(\) => (\w+)/g, 'get $1() { return $2; }')}}`,
        )
        .replace(helper, '');
      files[fileName].code = minifySync(fileName, quick, SHORT).code.replace(/[^\0-\x7f]/g, toEscape);
    }
  },
};

const groups = Object.entries(TOGETHER).map(([name, roots]) => {
  const files = collectImports(roots);
  return { name, test: (id) => files.has(id) };
});

/** Writes bundles into the folder. @returns the paths of the modules that are in them */
async function bundle(input, { external = [], codeSplitting, treeshake = true }) {
  const build = await rolldown({
    cwd: root,
    input,
    external,
    treeshake,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    transform: { define, target: 'node20.18' },
    plugins: [quickStart],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.write({
    dir: fresh,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    comments: { legal: false, annotation: false, jsdoc: false },
    // Node loads all that it has for ES modules at the first `import()`.
    dynamicImportInCjs: false,
    externalLiveBindings: false,
    esModule: false,
    generatedCode: { symbols: false },
    minifyInternalExports: false,
    codeSplitting,
  });
  await build.close();
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Names, versions and licence texts of the packages whose code is in the bundles. */
function formatNotices(modules) {
  const folders = modules
    .map((path) => /^.*node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(path)?.[0])
    .filter(Boolean);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return `ttctl contains code of these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

mkdirSync(fresh);
process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));

const program = {
  entry: 'src/bootstrap/entry.ts',
  renew: 'src/renew.ts',
  sandbox: LIBRARY,
  table: 'src/completion/table.ts',
};
const modules = await bundle(program, { codeSplitting: { groups } });
// Shells call it at every press of a key: one file. It prints in no format, so it has no need of what writes them.
const writers = /[/\\]output[/\\]formats[/\\](?!formats\.ts$)/;
modules.push(
  ...(await bundle(
    { complete: 'src/bootstrap/complete.ts' },
    // Tables that only the other functions of a module read are left out.
    {
      codeSplitting: false,
      external: (id) => writers.test(id),
      treeshake: { moduleSideEffects: false },
    },
  )),
);

// The tree of commands as plain data, for completion: no command is loaded for an answer.
const table = join(fresh, 'table.cjs');
const { buildCompletionTable } = createRequire(import.meta.url)(table);
writeFileSync(join(fresh, 'complete.json'), JSON.stringify(await buildCompletionTable()));
rmSync(table);

await writeLibrary(root, fresh);
writeFileSync(join(fresh, 'THIRD-PARTY-NOTICES.txt'), formatNotices(modules));

rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);
