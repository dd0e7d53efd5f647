// The style sheets and the script of the sandbox's pages are texts to esbuild, which it leaves as they are: makes them small.
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';

const TEXT = /`(\$\{COLOURS\})?([\s\S]*?)`/g;

export const smallPageTexts = {
  name: 'small-page-texts',
  setup(plugin) {
    plugin.onLoad(
      { filter: /[\\/]sandbox[\\/]page[\\/](board[\\/])?(style|script)\.ts$/ },
      async ({ path }) => {
        const source = readFileSync(path, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
        const loader = path.endsWith('script.ts') ? 'js' : 'css';
        const texts = [...source.matchAll(TEXT)];
        const small = await Promise.all(texts.map(([, , text]) => transform(text, { loader, minify: true })));
        let at = 0;
        const contents = source.replace(TEXT, (_whole, colours = '') => {
          const { code } = small[at++];
          return `\`${colours}${code.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;
        });
        return { contents, loader: 'ts' };
      },
    );
  },
};
