// Builds dist/: a split bundle, one CommonJS file for each lazily loaded part.
// esbuild splits ES modules only, so it is done in two steps: split as ESM, then turn each file into CommonJS.
// CommonJS starts faster than ESM on every supported Node (npm run bench).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Built beside and swapped in at the end, so that a command that starts meanwhile finds a whole one.
const fresh = join(root, `dist-${process.pid}`);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const moduleUrl = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

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

const split = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', renew: 'src/renew.ts' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  outdir: fresh,
  chunkNames: '[name]-[hash]',
  define: { __VERSION__: JSON.stringify(version), 'import.meta.url': 'importMetaUrl' },
  legalComments: 'none',
  metafile: true,
  plugins: [withoutChildProcess],
  write: false,
});

mkdirSync(fresh, { recursive: true });
for (const file of split.outputFiles) {
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const linked = code.replace(/require\("\.\/([^"]+)\.js"\)/g, 'require("./$1.cjs")');
  const prologue = linked.includes('importMetaUrl') ? `${moduleUrl}\n` : '';
  writeFileSync(join(fresh, basename(file.path).replace(/\.js$/, '.cjs')), prologue + linked);
}

// What is answered without loading the program: the version, and the help that every newcomer asks for.
writeFileSync(join(fresh, 'entry.cjs'), entry(''));
const help = execFileSync(process.execPath, [join(fresh, 'entry.cjs'), '--help'], { encoding: 'utf8' });
writeFileSync(join(fresh, 'entry.cjs'), entry(help));

writeFileSync(join(fresh, 'THIRD-PARTY-NOTICES.txt'), notices(Object.keys(split.metafile.inputs)));

rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);

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

/** The small file that starts first. It answers `--version` and `--help` alone; the rest is `main.cjs`. */
function entry(text) {
  const answers = {
    '--version': `ttctl ${version}\n`,
    '-V': `ttctl ${version}\n`,
    version: `ttctl ${version}\n`,
  };
  if (text !== '') Object.assign(answers, { '--help': text, '-h': text, help: text });
  return `'use strict';
const answers = ${JSON.stringify(answers)};
const text = process.argv.length === 3 && Object.hasOwn(answers, process.argv[2]) ? answers[process.argv[2]] : undefined;
if (text === undefined) require('./main.cjs').start();
else {
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write('error: the output could not be written\\n  ' + error.message + '\\n');
  });
  process.stdout.write(text);
}
`;
}
