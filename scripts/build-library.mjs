// Builds `ttctl/sandbox` into a folder: one CommonJS file, an ES module that hands its exports on, and the types.
// One implementation for both kinds of module: a test that mixes them gets the same class of errors.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

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
    // Names stay: they stand in the stacks of other people's tests.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
  });
  writeFileSync(join(folder, 'sandbox.js'), "export { createSandbox, SandboxError } from './sandbox.cjs';\n");
  const types = join(root, 'src/sandbox/library/types.ts');
  copyFileSync(types, join(folder, 'sandbox.d.ts'));
  copyFileSync(types, join(folder, 'sandbox.d.cts'));
  return Object.keys(metafile.inputs);
};
