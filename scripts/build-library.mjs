// Builds `ttctl/sandbox` into a folder: one CommonJS file, an ES module that hands its exports on, and the types.
// One implementation for both kinds of module: a test that mixes them gets the same class of errors.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { smallPageTexts } from './small-page-texts.mjs';

/** @returns what esbuild read, for the notices */
export const buildLibrary = async (root, folder) => {
  const entry = 'src/sandbox/library/sandbox.ts';
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { sandbox: entry },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [smallPageTexts],
  });
  writeFileSync(join(folder, 'sandbox.js'), "export { createSandbox, SandboxError } from './sandbox.cjs';\n");
  copyFileSync(join(root, 'src/sandbox/library/types.ts'), join(folder, 'sandbox.d.cts'));
  writeFileSync(join(folder, 'sandbox.d.ts'), "export * from './sandbox.cjs';\n");
  return Object.keys(metafile.inputs);
};
