import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './support/documents.ts';
import { makeFolder } from './support/folder.ts';
import { startConnectProxy, startServer } from './support/loopback.ts';
import { finished } from './support/process.ts';
import { envelope } from './support/service.ts';
import { readSession, runSession } from './support/session-runner.ts';
import { openCli, useCli } from './support/use-cli.ts';

/**
 * What is built, as others get it: through a real proxy, on every line of Node that is supported, with a plain word on one
 * that is not; and as a package: `ttctl/sandbox` by every kind of import, its types, and examples/vitest with it.
 */

const t = useCli();
const FINE = { stdout: '', stderr: '', exit: 0 };

it('what is bundled of undici is enough: a tunnel, a certificate authority of one’s own, the same for the next page', async () => {
  const tls = new URL('support/tls/', import.meta.url).pathname;
  const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(tls, name), 'utf8'));
  const server = await startServer(
    ({ url }, response) => {
      const page = Number(new URL(url, 'https://service.test').searchParams.get('page') ?? 1);
      const pagination = { total: 2, per_page: 1, current_page: page, last_page: 2, from: page, to: page };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(envelope([{ id: page }], { pagination })));
    },
    { key: String(key), cert: String(cert) },
  );
  const proxy = await startConnectProxy({ route: () => server.port });
  const env = {
    TTCTL_BASE_URL: 'https://service.test/api/v2',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: join(tls, 'ca.pem'),
  };
  expect(await t.process('members list -o ids', { env })).toEqual({ ...FINE, stdout: '1\n2\n' });
  expect(proxy.seen).toEqual(['CONNECT service.test:443']);
  await Promise.all([server.close(), proxy.close()]);
});

const run = promisify(execFile);

/** Path of a Node of this line, installed once; undefined where none can be had. */
const nodeOf = async (line: string): Promise<string | undefined> => {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ttctl-nodes');
  const node = join(cache, line, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node@${line}`];
  try {
    mkdirSync(cache, { recursive: true });
    // Beside, and then whole in its place: others may be at it too.
    const fresh = mkdtempSync(join(cache, `.${line}-`));
    try {
      await run('npm', [...args, '--prefix', fresh], { timeout: 120_000 });
      renameSync(fresh, join(cache, line));
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  } catch (error) {
    process.stderr.write(`not tried on Node ${line}: ${String(error).split('\n')[0]}\n`);
  }
  return existsSync(node) ? node : undefined;
};

const nodes = await Promise.all(['22', '24', '26'].map(async (line) => ({ line, node: await nodeOf(line) })));

describe.each(nodes)('on Node $line', ({ line, node }) => {
  it.skipIf(node === undefined)('the main job is done', async () => {
    const { stdout } = await run(node ?? '', ['--version']);
    expect(stdout).toMatch(new RegExp(`^v${line}\\.`));
    await runSession(readSession('timesheets').steps, await openCli({ sandbox: 'demo' }), node);
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

/** The package as it would be published, in `node_modules` of a copy of examples/vitest, and what else that needs. */
let project: string;
let archive: { filename: string; size: number; files: { path: string }[] };
beforeAll(async () => {
  const place = makeFolder();
  project = join(place, 'project');
  cpSync(join(ROOT, 'examples/vitest'), project, { recursive: true });
  mkdirSync(join(project, 'node_modules/ttctl'), { recursive: true });
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
  [archive] = JSON.parse((await run('npm', pack, { cwd: ROOT })).stdout);
  const to = [join(place, archive.filename), '-C', join(project, 'node_modules/ttctl')];
  await run('tar', ['--strip-components=1', '-xzf', ...to]);
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['node_modules/vitest', 'node_modules/@types/node'])
    symlinkSync(join(ROOT, name), join(project, name));
});

// As in a shell of its own: this file is run by a vitest itself.
const node = (...args: string[]) =>
  finished(
    spawn(process.execPath, args, { cwd: project, env: { PATH: process.env.PATH ?? '', HOME: project } }),
  );
const write = (name: string, text: string) => writeFileSync(join(project, name), text);

describe('the package', () => {
  it('is small, and needs nothing at run time', () => {
    expect(archive.size).toBeLessThanOrEqual(1_200_000);
    const facts = JSON.parse(readFileSync(join(project, 'node_modules/ttctl/package.json'), 'utf8'));
    expect(facts.dependencies).toBeUndefined();
    const library = ['js', 'cjs', 'd.ts', 'd.cts'].map((ending) => `dist/sandbox.${ending}`);
    const docs = ['README.md', 'docs/bulk.md', 'docs/sandbox.md'];
    const files = archive.files.map(({ path }) => path);
    expect(files).toEqual(expect.arrayContaining([...library, ...docs]));
    expect(files.filter((path) => /^(src|test|examples|scripts)\/|\.map$/.test(path))).toEqual([]);
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
    const entryPoints = [join(project, 'bundle.cjs')];
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
  const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
  const IMPORT = `import { createSandbox, type Sandbox } from 'ttctl/sandbox';`;
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
    write(name, text);
    const strict = { target: 'ES2022', lib: ['ES2022'], types: [], strict: true, noEmit: true };
    write(`${name}.json`, JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [name] }));
    expect(await node(TSC, '-p', `${name}.json`)).toEqual(FINE);
  });

  it('hold for the example', async () => {
    expect(await node(TSC, '-p', 'tsconfig.json')).toEqual(FINE);
  });
});

describe('examples/vitest', () => {
  const vitest = async () => {
    // Vitest's own limits are those of somebody's machine on which nothing else runs.
    const patience = ['--testTimeout=200000', '--hookTimeout=200000'];
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', ...patience];
    const { stdout, exit } = await node(...args);
    return { exit, ...JSON.parse(stdout.slice(stdout.indexOf('{'))) };
  };

  it('passes', async () => {
    expect(await vitest()).toMatchObject({ exit: 0, numPassedTests: 6, numFailedTests: 0 });
  });

  it('fails for a script that trusts a 500', async () => {
    const file = 'src/approve-submitted.ts';
    const good = readFileSync(join(project, file), 'utf8');
    const naive = good.replace(': await timesheets({ id })', ": [{ status: 'submitted' }]");
    expect(naive).not.toBe(good);
    write(file, naive);
    expect(await vitest()).toMatchObject({ exit: 1, numFailedTests: 1 });
  });
});
