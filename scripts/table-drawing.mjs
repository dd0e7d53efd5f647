// cli-table3 as ttctl has it, for the build and for tests of the sources: it measures with string-width 8 in place of the
// old one that it names, which cuts Thai and pointed Hebrew, and its own colours are left out.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const index = fileURLToPath(new URL('../node_modules/cli-table3/index.js', import.meta.url));
const width = fileURLToPath(new URL('../src/output/layout.ts', import.meta.url));

/** File → what is in it once, and what stands there instead. */
const CHANGES = {
  'utils.js': [
    [
      "const stringWidth = require('string-width');",
      `import { textWidth as stringWidth } from ${JSON.stringify(width)};`,
    ],
  ],
  'cell.js': [
    // For a log of its own that nobody reads, it shortens every text letter by letter, measuring all of it each time.
    ['utils.truncate(this.content, 10, this.truncate)', "''"],
    // Characters around cells are the table's, but it puts them together from their names for each cell again.
    [
      `let chars = (this.chars = {});
    CHAR_NAMES.forEach(function (name) {
      setOption(optionsChars, tableChars, name, chars);
    });`,
      `this.chars = tableOptions.charsOfCells ??= CHAR_NAMES.reduce((chars, name) => {
        setOption(optionsChars, tableChars, name, chars);
        return chars;
      }, {});`,
    ],
  ],
};

const changed = (path) =>
  CHANGES[basename(path)].reduce(
    (source, [from, to]) => {
      if (source.split(from).length !== 2) throw new Error(`${path} does not have once: ${from}`);
      return source.replace(from, () => to);
    },
    readFileSync(path, 'utf8'),
  );

const changes = {
  name: 'table-changes',
  setup(plugin) {
    plugin.onLoad({ filter: /[/\\]cli-table3[/\\]src[/\\](utils|cell)\.js$/ }, ({ path }) => ({
      contents: changed(path),
    }));
    plugin.onResolve({ filter: /^@colors\/colors\/safe$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    plugin.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** As one ES module: in CommonJS, esbuild would wrap the measure too, and all that it imports. */
const module = async () => {
  const { outputFiles } = await build({
    stdin: { contents: `import Table from ${JSON.stringify(index)}; export default Table;`, resolveDir: '.' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: [width],
    plugins: [changes],
  });
  return outputFiles[0].text;
};

/** For esbuild. */
export const tableDrawing = {
  name: 'table-drawing',
  setup(plugin) {
    plugin.onLoad({ filter: /[/\\]cli-table3[/\\]index\.js$/ }, async () => ({ contents: await module() }));
  },
};

const ID = '\0cli-table3';

/** The same for Vite. */
export const tableDrawingInTests = {
  name: 'table-drawing',
  enforce: 'pre',
  resolveId: (id) => (id === 'cli-table3' ? ID : undefined),
  load: async (id) => (id === ID ? await module() : undefined),
};
