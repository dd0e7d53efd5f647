import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BIN, cleanHome, type Home } from '../support/binary.ts';
import { type LoopbackServer, startServer } from '../support/loopback-server.ts';

/**
 * What an ordinary read loads of Node itself. Node compiles its own modules anew in each process: those that stdin, a
 * question or a stopwatch need cost more than our whole program
 * (docs/requirements.md, PERF-1).
 */

const BODY = JSON.stringify({ success: true, message: 'OK', data: [] });

let home: Home;
let server: LoopbackServer;

beforeAll(async () => {
  home = cleanHome();
  server = await startServer((_request, response) => response.end(BODY));
});
afterAll(async () => {
  await server.close();
  home.remove();
});

/** The modules of Node that are loaded by the end of the script. Its stdin and stdout are files, stderr is a pipe. */
const loadedBy = async (script: string, args: readonly string[] = []): Promise<ReadonlySet<string>> => {
  const list = join(home.folder, 'loaded.txt');
  const hook = join(home.folder, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n')));`,
  );
  const env = {
    ...home.env,
    TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
    TTCTL_TOKEN: 'x',
    TTCTL_WORKSPACE: '7',
  };
  const stdio = [openSync('/dev/null', 'r'), openSync(join(home.folder, 'out'), 'w'), 'pipe'] as const;
  const child = spawn(process.execPath, ['--require', hook, script, ...args], { env, stdio: [...stdio] });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  return new Set(readFileSync(list, 'utf8').split('\n'));
};

it('is what one request needs, and what runs kept code', async () => {
  const bare = join(home.folder, 'bare.cjs');
  writeFileSync(
    bare,
    // What kept code is authenticated with; a request over TLS loads it in any case.
    `require('node:crypto'); require('node:http').get('http://127.0.0.1:${server.port}/', (answer) => {
      answer.on('data', (part) => process.stdout.write(part)); });
    new AbortController();`,
  );
  const args = ['members', 'list', '-o', 'json'];
  await loadedBy(BIN, args);
  const [needed, loaded] = [await loadedBy(bare), await loadedBy(BIN, args)];
  expect([...loaded].filter((name) => name.startsWith('NativeModule') && !needed.has(name))).toEqual([
    'NativeModule vm',
    'NativeModule process',
  ]);
  // A question loads this one: the list can tell.
  expect(needed).not.toContain('NativeModule readline');
});
