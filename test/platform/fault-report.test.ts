import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from '../support/binary.ts';
import { serviceEnv, startRecorder } from '../support/recorder.ts';

/** What nobody foresaw: one line, and how to report it, without secrets. */

let home: Home;
beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

/** The program with something broken in it. */
const breaking = (error = "new TypeError('it broke')"): Readonly<Record<string, string>> => {
  const preload = join(home.folder, 'break.cjs');
  writeFileSync(preload, `Object.hasOwn = () => { throw ${error}; };`);
  return { ...home.env, NODE_OPTIONS: `--require "${preload}"` };
};

const TOLD =
  /^error: TypeError: it broke\nhint: This is a bug in ttctl\. Please report it.* --debug prints\.\n$/;

describe('a fault in ttctl itself', () => {
  it('is told in one line, with --debug where it broke, without secrets', async () => {
    const env = { ...breaking(), TTCTL_TOKEN: 'it-canary-4be1c07d' };
    const { stdout, stderr, exit } = await runBinary(['profile', 'show'], { env });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    expect(stderr).toMatch(TOLD);
    const debug = await runBinary(['profile', 'show', '--debug'], { env });
    expect(debug.stderr).toMatch(/^TypeError: it broke\n {4}at /);
    const secret = breaking("new TypeError('it-canary-4be1c07d')");
    const masked = await runBinary(['profile', 'show'], { env: { ...env, ...secret } });
    expect([masked.exit, masked.stderr]).toEqual([1, expect.stringContaining('error: TypeError: ***')]);
    expect(masked.stderr).not.toContain('canary');
  });

  it('is one object in JSON', async () => {
    const { stderr } = await runBinary(['profile', 'show', '--json'], { env: breaking() });
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'unexpected', exit: 1, message: 'it broke' });
  });
});

describe('a fault outside the promise of the run', () => {
  /** The program with a line of code before it. */
  const preloading = (code: string, more: Readonly<Record<string, string>> = {}) => {
    const preload = join(home.folder, 'preload.cjs');
    writeFileSync(preload, code);
    return { ...home.env, NODE_OPTIONS: `--require ${preload}`, ...more };
  };
  /** Breaks when the answer number `nth` comes, in the handler of an event. */
  const atAnswer = (how: string, nth = 1): string => `
    const { ClientRequest } = require('node:http');
    const emit = ClientRequest.prototype.emit;
    let answers = 0;
    ClientRequest.prototype.emit = function (event, ...rest) {
      if (event === 'response' && ++answers === ${nth}) ${how};
      return emit.call(this, event, ...rest);
    };`;

  const page = (current_page: number) => ({
    body: {
      success: true,
      data: [{ id: current_page, email: `m${current_page}@example.com` }],
      meta: { pagination: { total: 2, per_page: 1, current_page, last_page: 2 } },
    },
  });

  it.each([
    ['an event handler', "throw new TypeError('it broke')"],
    ['a promise that nobody waits for', "return void Promise.reject(new TypeError('it broke'))"],
  ])('in %s is told in the same words, exit 1', async (_where, how) => {
    const recorder = await startRecorder(() => page(1));
    const env = preloading(atAnswer(how), serviceEnv(recorder));
    const { stdout, stderr, exit } = await runBinary(['members', 'list'], { env });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    expect(stderr).toMatch(TOLD);
    const json = await runBinary(['members', 'list', '--json'], { env });
    expect(json).toMatchObject({ stdout: '', exit: 1 });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'unexpected', exit: 1, message: 'it broke' });
    await recorder.close();
  });

  it('leaves whole rows, and nothing after them', async () => {
    const recorder = await startRecorder(({ line }) => page(/[?&]page=2/.test(line) ? 2 : 1));
    const env = preloading(atAnswer("throw new TypeError('it broke')", 2), serviceEnv(recorder));
    const args = ['members', 'list', '--per-page', '1', '-o', 'csv', '--columns', 'id,email'];
    const { stdout, stderr, exit } = await runBinary(args, { env });
    expect({ stdout, exit }).toEqual({ stdout: 'id,email\r\n1,m1@example.com\r\n', exit: 1 });
    expect(stderr).toMatch(TOLD);
    await recorder.close();
  });

  it('ends a server', async () => {
    const code = `const { Server } = require('node:net'), { listen } = Server.prototype;
      Server.prototype.listen = function (...args) {
        return listen.apply(this.once('listening', () => setImmediate(() => { throw new TypeError('it broke') })), args);
      };`;
    const { stderr, exit } = await runBinary(['sandbox', 'start', '--port', '0', '--quiet'], {
      env: preloading(code),
    });
    expect({ exit, told: TOLD.test(stderr.slice(stderr.indexOf('error:'))) }).toEqual({
      exit: 1,
      told: true,
    });
  });

  it('is also a run that nothing goes on with', async () => {
    const env = preloading('process.stdout.write = () => true;');
    const { stdout, stderr, exit } = await runBinary(['profile', 'list', '--json'], { env });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'unexpected', exit: 1 });
  });
});
