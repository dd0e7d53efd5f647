import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy, startServer } from './support/loopback.ts';
import { type Packed, packInto, ROOT } from './support/packed.ts';
import { type Finished, finished } from './support/process.ts';
import { readSession, runSession, sessionPlace } from './support/session-runner.ts';
import { useCli } from './support/use-cli.ts';

/**
 * What is built, as others get it: through a real proxy, on every line of Node that is supported, with a plain word on one
 * that is not; and as a package: `ttctl/sandbox` by every kind of import, its types, and examples/vitest with it.
 */

const t = useCli();
const FINE = { stdout: '', stderr: '', exit: 0 };

const tls = new URL('support/tls/', import.meta.url).pathname;
const pem = (name: string): string => readFileSync(join(tls, name), 'utf8');

it('what is bundled of undici is enough: a tunnel, a certificate authority of one’s own, the same for the next page', async () => {
  const server = await startServer(
    ({ url }, response) => {
      const page = Number(new URL(url, 'https://service.test').searchParams.get('page') ?? 1);
      const pagination = { total: 2, per_page: 1, current_page: page, last_page: 2, from: page, to: page };
      response.setHeader('content-type', 'application/json');
      const answer = { success: true, message: 'OK', data: [{ id: page }], meta: { pagination } };
      response.end(JSON.stringify(answer));
    },
    { key: pem('server.key'), cert: pem('server.pem') },
  );
  const proxy = await startConnectProxy({ route: () => server.port });
  const env = {
    TTCTL_BASE_URL: 'https://service.test/api/v2',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: join(tls, 'ca.pem'),
  };
  const ended = await t.process('members list -o ids', { env });
  expect(ended).toEqual({ ...FINE, stdout: '1\n2\n' });
  expect(proxy.seen).toEqual(['CONNECT service.test:443']);
  await Promise.all([server.close(), proxy.close()]);
});

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ttctl-nodes');
const run = promisify(execFile);

/** Path of a Node of this line, installed once; undefined where none can be had. */
const nodeOf = async (line: string): Promise<string | undefined> => {
  const folder = join(CACHE, line);
  const node = join(folder, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node@${line}`];
  try {
    mkdirSync(CACHE, { recursive: true });
    // Beside, and then whole in its place: others may be at it too.
    const fresh = mkdtempSync(join(CACHE, `.${line}-`));
    try {
      await run('npm', [...args, '--prefix', fresh], { timeout: 120_000 });
      renameSync(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  } catch (error) {
    process.stderr.write(
      `not tried on Node ${line}: npm install node@${line} failed (${String(error).split('\n')[0]})\n`,
    );
  }
  return existsSync(node) ? node : undefined;
};

const nodes = await Promise.all(['22', '24', '26'].map(async (line) => ({ line, node: await nodeOf(line) })));

describe.each(nodes)('on Node $line', ({ line, node }) => {
  it.skipIf(node === undefined)('the main job is done', async () => {
    const { stdout } = await run(node ?? '', ['--version']);
    expect(stdout).toMatch(new RegExp(`^v${line}\\.`));
    const place = sessionPlace({ TTCTL_PROFILE: 'sandbox' }, node);
    await runSession(readSession('timesheets').steps, place).finally(place.remove);
  });

  it.skipIf(node === undefined)('nothing is said about what Node will drop', async () => {
    const env = { TTCTL_PROFILE: 'sandbox', TTCTL_WORKSPACE: '', NODE_OPTIONS: '--pending-deprecation' };
    const { stderr, exit } = await t.process('members list --quiet', { env, ...(node && { node }) });
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  });
});

describe('on a Node that is too old', () => {
  const as = (version: string) => {
    const value = `{ value: { ...process.versions, node: '${version}' } }`;
    const fake = t.file('fake.cjs', `Object.defineProperty(process, 'versions', ${value});`);
    return t.process('--version', { env: { NODE_OPTIONS: `--require ${fake}` } });
  };

  it.each(['8.17.0', '18.20.4', '20.18.0'])('%s, it says which is needed', async (version) => {
    const stderr = `error: ttctl needs Node.js 20.18.1 or later; this is ${version}.\n`;
    expect(await as(version)).toEqual({ stdout: '', stderr, exit: 1 });
  });

  it.each(['20.18.1', '20.19.0', '21.0.0', '100.0.0'])('%s is not', async (version) => {
    expect(await as(version)).toMatchObject({ stderr: '', exit: 0 });
  });
});

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
    const library = ['js', 'cjs', 'd.ts', 'd.cts'].map((ending) => `dist/sandbox.${ending}`);
    const docs = ['README.md', 'docs/bulk.md', 'docs/sandbox.md'];
    expect(packed.files).toEqual(expect.arrayContaining([...library, ...docs]));
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
    expect(await node('kinds.mjs')).toEqual({ ...FINE, stdout: 'createSandbox true\n401\n' });
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
    const outfile = t.file('bundled.cjs');
    const entryPoints = [join(packed.project, 'bundle.cjs')];
    await build({ entryPoints, bundle: true, minify: true, platform: 'node', outfile });
    expect(await node(outfile)).toEqual({ ...FINE, stdout: '401\n' });
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
  `;
  const FETCH = `
    export const answer: Response = await sandbox.fetch(new Request(sandbox.baseUrl), { method: 'GET' });
    export const service: { fetch: typeof fetch } = sandbox;
  `;
  const IMPORT = `import { createSandbox, type Sandbox } from 'ttctl/sandbox';`;

  /** Compiles one file strictly, libraries checked too. */
  const compile = (name: string, text: string, options: Readonly<Record<string, unknown>>) => {
    write(name, text);
    const usual = { target: 'ES2022', lib: ['ES2022'], types: [], strict: true, noEmit: true };
    const compilerOptions = { ...usual, ...options };
    write(`${name}.json`, JSON.stringify({ compilerOptions, files: [name] }));
    return node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`);
  };
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
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', ...patience];
    const { stdout, exit } = await node(...args);
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
