// Writes `ttctl/sandbox` into a folder beside its CommonJS file: an ES module that hands its exports on, and the types.
// One implementation for both kinds of module: a test that mixes them gets the same class of errors.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LIBRARY = 'src/sandbox/library/sandbox.ts';

export const writeLibrary = (root, folder) => {
  writeFileSync(join(folder, 'sandbox.js'), "export { createSandbox, SandboxError } from './sandbox.cjs';\n");
  copyFileSync(join(root, 'src/sandbox/library/types.ts'), join(folder, 'sandbox.d.cts'));
  writeFileSync(join(folder, 'sandbox.d.ts'), "export * from './sandbox.cjs';\n");
};
