import { spawn } from 'node:child_process';
import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BIN, cleanHome, type Home } from '../support/binary.ts';
import { type LoopbackServer, startServer } from '../support/loopback-server.ts';

/**
 * What an ordinary read loads of Node itself. Node compiles its own modules anew in each process: those that stdin, a
 * question or a stopwatch need cost more than our whole program.
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

/** Its stdin and stdout are files, stderr is a pipe. */
const run = async (args: readonly string[]): Promise<void> => {
  const env = {
    ...home.env,
    TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
    TTCTL_TOKEN: 'x',
    TTCTL_WORKSPACE: '7',
  };
  const stdio = [openSync('/dev/null', 'r'), openSync(join(home.folder, 'out'), 'w'), 'pipe'] as const;
  const child = spawn(process.execPath, args, { env, stdio: [...stdio] });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
};

/** The modules of Node that are loaded by the end of the script. */
const loadedBy = async (script: string, args: readonly string[] = []): Promise<ReadonlySet<string>> => {
  const list = join(home.folder, 'loaded.txt');
  const hook = join(home.folder, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n')));`,
  );
  await run(['--require', hook, script, ...args]);
  return new Set(readFileSync(list, 'utf8').split('\n'));
};

/** Until the compiled code is kept, and was found whole: a secret of 32 bytes, and behind it what was verified. */
const keepCode = async (args: readonly string[]): Promise<void> => {
  const key = join(home.folder, '.config', 'ttctl', 'cache.key');
  do await run([BIN, ...args]);
  while (statSync(key).size === 32);
};

// Windows has no time that a file is remembered by: there, node:crypto is loaded to verify it.
it.runIf(process.platform !== 'win32')('is what one request needs, and what runs kept code', async () => {
  const bare = join(home.folder, 'bare.cjs');
  writeFileSync(
    bare,
    `require('node:http').get('http://127.0.0.1:${server.port}/', (answer) => {
      answer.on('data', (part) => process.stdout.write(part)); });
    new AbortController();`,
  );
  const args = ['members', 'list', '-o', 'json'];
  await keepCode(args);
  const [needed, loaded] = [await loadedBy(bare), await loadedBy(BIN, args)];
  expect([...loaded].filter((name) => name.startsWith('NativeModule') && !needed.has(name))).toEqual([
    'NativeModule vm',
    'NativeModule process',
  ]);
  // A question loads this one: the list can tell.
  expect(needed).not.toContain('NativeModule readline');
});
