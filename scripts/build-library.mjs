// Writes `ttctl/sandbox` into a folder: one CommonJS file, an ES module that hands its exports on, and the types.
// One implementation for both kinds of module: a test that mixes them gets the same class of errors.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LIBRARY = 'src/sandbox/library/sandbox.ts';

/**
 * The packs stand in the file one after another, a character between them, so that the program reads them from there
 * (src/bootstrap/parts.ts): the sandbox is in the package once. What the program always loads is in its own file, and
 * here again. Each of Node's modules is required by a text of its own, which bundlers can find.
 *
 * @returns what was written, and where its packs begin
 */
export const writeLibrary = (root, folder, { packs, first, start, others, modules }) => {
  const nodes = [...new Set(modules.map(({ path }) => JSON.stringify(path)))].sort();
  const head = '"use strict";const packs=[';
  const tail = `];
const others={${others.map(([place, code]) => `"${place}":${code}`).join(',')}};
const modules={${nodes.map((id) => `${id}:()=>require(${id})`).join(',')}};
const exported={};
const load=(pack,place)=>exported[[pack,place]]??=(others[[pack,place]]??packs[pack-${first}][place])(load,(id)=>modules[id]());
const library=load(${start});
exports.createSandbox=library.createSandbox;
exports.SandboxError=library.SandboxError;
`;
  const text = `${head}${packs.join()}${tail}`;
  writeFileSync(join(folder, 'sandbox.cjs'), text);
  writeFileSync(join(folder, 'sandbox.js'), "export { createSandbox, SandboxError } from './sandbox.cjs';\n");
  copyFileSync(join(root, 'src/sandbox/library/types.ts'), join(folder, 'sandbox.d.cts'));
  writeFileSync(join(folder, 'sandbox.d.ts'), "export * from './sandbox.cjs';\n");
  return { text, offset: head.length };
};
