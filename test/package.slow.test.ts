import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from './support/folder.ts';
import { type Packed, packInto, ROOT } from './support/packed.ts';
import { type Finished, finished } from './support/process.ts';

/** The package as others get it: `ttctl/sandbox` by every kind of import, its types, and examples/vitest with it. */

let packed: Packed;
beforeAll(async () => {
  packed = await packInto('examples/vitest');
});
afterAll(() => packed.remove());

const node = (...args: string[]): Promise<Finished> =>
  finished(
    spawn(process.execPath, args, {
      cwd: packed.project,
      // As in a shell of its own: this file is run by a vitest itself.
      env: { PATH: process.env.PATH ?? '', HOME: packed.project },
    }),
  );

const write = (name: string, text: string): void => writeFileSync(join(packed.project, name), text);

describe('the package', () => {
  it('is small, and needs nothing at run time', () => {
    expect(packed.size).toBeLessThanOrEqual(1_200_000);
    const facts = JSON.parse(readFileSync(join(packed.project, 'node_modules/ttctl/package.json'), 'utf8'));
    expect(facts.dependencies).toBeUndefined();
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'dist/sandbox.js',
        'dist/sandbox.cjs',
        'dist/sandbox.d.ts',
        'dist/sandbox.d.cts',
      ]),
    );
    expect(packed.files).toEqual(expect.arrayContaining(['README.md', 'docs/bulk.md', 'docs/sandbox.md']));
    expect(packed.files.filter((path) => /^(src|test|examples|scripts)\/|\.map$/.test(path))).toEqual([]);
  });

  it('is imported and required, and is one implementation', async () => {
    write(
      'kinds.mjs',
      `import { createRequire } from 'node:module';
      import * as imported from 'ttctl/sandbox';
      const required = createRequire(import.meta.url)('ttctl/sandbox');
      console.log(Object.keys(imported).join(), required.createSandbox === imported.createSandbox);
      const sandbox = await required.createSandbox({ seed: 'empty' });
      console.log((await sandbox.fetch(sandbox.baseUrl + '/workspaces')).status);
      await sandbox[Symbol.asyncDispose]();`,
    );
    expect(await node('kinds.mjs')).toEqual({
      stdout: 'createSandbox true\n401\n',
      stderr: '',
      exit: 0,
    });
  });

  it('works in a bundle, with nothing beside it', async () => {
    write(
      'bundle.cjs',
      `const { createSandbox } = require('ttctl/sandbox');
      createSandbox({ seed: 'empty' }).then(async (sandbox) => {
        const { url } = await sandbox.listen({ port: 0 });
        console.log((await fetch(url + new URL(sandbox.baseUrl).pathname + '/workspaces')).status);
        await sandbox[Symbol.asyncDispose]();
      });`,
    );
    const folder = makeFolder();
    const outfile = join(folder, 'bundled.cjs');
    await build({
      entryPoints: [join(packed.project, 'bundle.cjs')],
      bundle: true,
      minify: true,
      platform: 'node',
      outfile,
    });
    expect(await node(outfile)).toEqual({ stdout: '401\n', stderr: '', exit: 0 });
  });

  it('offers nothing else', async () => {
    const { exit, stderr } = await node('--eval', "require('ttctl/dist/entry.cjs')");
    expect(exit).not.toBe(0);
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('lets a process end by itself, though a sandbox was left open with something to send tomorrow', async () => {
    write(
      'left.mjs',
      `import { createSandbox } from 'ttctl/sandbox';
      const sandbox = await createSandbox();
      const body = JSON.stringify({ workspace_id: sandbox.workspaceId, url: 'http://127.0.0.1:9/', events: ['x'] });
      const headers = { authorization: 'Bearer ' + sandbox.token().token, 'content-type': 'application/json' };
      await sandbox.fetch(sandbox.baseUrl + '/webhooks', { method: 'POST', body, headers });
      console.log((await sandbox.control.trigger({ event: 'x' })).deliveries[0].status);`,
    );
    expect(await node('left.mjs')).toMatchObject({ stdout: 'pending\n', exit: 0 });
  });
});

describe('the types', () => {
  const USE = `
    const sandbox: Sandbox = await createSandbox({ seed: 'big:50', limits: 'off', dialect: { ids: 'opaque' } });
    export const token: string = sandbox.token({ scope: ['read'] }).token;
    const { control } = sandbox;
    await control.addFault({ operation: 'members list', latency_ms: 3000, body: 'html' });
    export const ahead: number = (await control.moveClock({ action: 'advance', by_ms: 5 })).ahead_seconds;
    export const routes: (string | null)[] = (await control.log()).map(({ route }) => route);
    await control.reset();
    export const { url } = await sandbox.listen({ port: 0 });
    // @ts-expect-error: no such option
    await createSandbox({ sed: 'demo' });
    // @ts-expect-error: no such dialect
    await createSandbox({ dialect: { ids: 'numbers' } });
    // @ts-expect-error: no such way to cut a connection
    await control.addFault({ operation: 'members list', drop: 'never' });
    // @ts-expect-error: nobody can write it
    sandbox.workspaceId = 7;
  `;
  const FETCH = `
    export const answer: Response = await sandbox.fetch(new Request(sandbox.baseUrl), { method: 'GET' });
    export const service: { fetch: typeof fetch } = sandbox;
  `;
  const IMPORT = `import { createSandbox, type Sandbox } from 'ttctl/sandbox';`;

  /** Compiles one file strictly, libraries checked too. */
  const compile = (name: string, text: string, options: Readonly<Record<string, unknown>>) => {
    write(name, text);
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022'],
      types: [],
      strict: true,
      noEmit: true,
      ...options,
    };
    write(`${name}.json`, JSON.stringify({ compilerOptions, files: [name] }));
    return node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`);
  };
  const FINE = { stdout: '', stderr: '', exit: 0 };

  it.each([
    ['an ES module', 'esm.mts', IMPORT + USE + FETCH, { module: 'NodeNext', types: ['node'] }],
    [
      'a bundler',
      'bundled.ts',
      IMPORT + USE + FETCH,
      { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM', 'DOM.Iterable'] },
    ],
    ['a module without types of Node or browsers', 'bare.mts', IMPORT + USE, { module: 'NodeNext' }],
    [
      'CommonJS',
      'common.cts',
      `${IMPORT}\nexport const run = async () => {${USE.replaceAll('export const', 'const')}};`,
      { module: 'NodeNext', types: ['node'] },
    ],
  ])('hold for %s', async (_, name, text, options) => {
    expect(await compile(name, text, options)).toEqual(FINE);
  });

  it('hold for the example', async () => {
    expect(await node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json')).toEqual(FINE);
  });
});

describe('examples/vitest', () => {
  const vitest = async () => {
    // Vitest's own limits are those of somebody's machine on which nothing else runs.
    const patience = ['--testTimeout=200000', '--hookTimeout=200000'];
    const { stdout, exit } = await node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=json',
      ...patience,
    );
    const { numPassedTests, numFailedTests } = JSON.parse(stdout.slice(stdout.indexOf('{')));
    return { exit, passed: numPassedTests, failed: numFailedTests };
  };

  it('passes', async () => {
    expect(await vitest()).toEqual({ exit: 0, passed: 6, failed: 0 });
  });

  it('fails for a script that trusts a 500', async () => {
    const file = 'src/approve-submitted.ts';
    const good = readFileSync(join(packed.project, file), 'utf8');
    const naive = good.replace(': await timesheets({ id })', ": [{ status: 'submitted' }]");
    expect(naive).not.toBe(good);
    write(file, naive);
    expect(await vitest()).toMatchObject({ exit: 1, failed: 1 });
  });
});
