// Writes `ttctl/sandbox` into a folder beside its CommonJS file: an ES module that hands its exports on, and the types,
// which the compiler takes from the source and a bundler puts into one file. One implementation for both kinds of
// module: a test that mixes them has one sandbox.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

export const LIBRARY = 'src/sandbox/library.ts';

export const writeLibrary = async (root, folder) => {
  const declarations = join(folder, 'declarations');
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.library.json'), '--outDir', declarations];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the types of the library could not be made');
  // What the operations are carried out on would bring the types of the whole state along.
  const control = join(declarations, 'sandbox/control.d.ts');
  const text = readFileSync(control, 'utf8');
  const hidden = text.replace('type S = ControlledSandbox;', 'type S = object;');
  if (hidden === text) throw new Error(`the state is not hidden in ${control}`);
  writeFileSync(control, hidden.replace(/\{[^{}]*\}: S\b/g, 'sandbox: S'));
  const types = await rolldown({
    input: join(declarations, 'sandbox/library.d.ts'),
    plugins: [dts({ dtsInput: true, oxc: true, tsconfig: false })],
  });
  const { output } = await types.generate({ format: 'es' });
  await types.close();
  rmSync(declarations, { recursive: true });
  writeFileSync(join(folder, 'sandbox.js'), "export { createSandbox } from './sandbox.cjs';\n");
  writeFileSync(
    join(folder, 'sandbox.d.cts'),
    `/// <reference lib="esnext.disposable" />\n${output[0].code}`,
  );
  writeFileSync(join(folder, 'sandbox.d.ts'), "export * from './sandbox.cjs';\n");
};
