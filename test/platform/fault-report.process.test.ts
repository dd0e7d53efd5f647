import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/http/redact.ts';
import { writeFaultReport } from '../../src/platform/fault-report.ts';
import type { Machine } from '../../src/platform/machine.ts';
import { envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** What nobody foresaw: one line, a file without secrets, and how to report it. */

const t = useCli();

/** The built program with a line of code before it. */
const runWith = (code: string, line: string, env: Record<string, string> = {}) =>
  t.process(line, { env: { NODE_OPTIONS: `--require ${t.file('preload.cjs', code)}`, ...env } });
const BROKEN = "Object.hasOwn = () => { throw new TypeError('it broke'); };";
const TOLD = /^error: TypeError: it broke\nhint: .*report it with (\S+)\n$/;
const folder = (): string => join(t.state, 'faults');

it('a fault is one line, and the file that is named says where it broke, to this user alone', async () => {
  const { stdout, stderr, exit } = await runWith(BROKEN, 'profile show');
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
  const [, file = ''] = TOLD.exec(stderr) ?? [];
  expect(file.startsWith(folder())).toBe(true);
  expect(readFileSync(file, 'utf8')).toMatch(
    /\nttctl profile show\n\nTypeError: it broke\n {4}at [\s\S]* \(\S+\.cjs:\d+:\d+\)/,
  );
  expect([file, folder()].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
  const { error } = JSON.parse((await runWith(BROKEN, 'profile show --json')).stderr);
  expect(error).toMatchObject({ code: 'unexpected', exit: 1, message: 'it broke' });
  expect(readFileSync(error.log, 'utf8')).toContain('it broke');
});

it('a fault with no place for a file says how to report it all the same', async () => {
  const { stderr, exit } = await runWith(BROKEN, 'profile show', { HOME: '', TTCTL_STATE_DIR: '' });
  const told = /^error: TypeError: it broke\nhint: .*report it with the command and its --debug output/;
  expect([exit, stderr]).toEqual([1, expect.stringMatching(told)]);
});

describe('a fault outside the promise of the run', () => {
  /** Breaks when the answer number `nth` comes, in the handler of an event. */
  const atAnswer = (how: string, nth = 1): string => `
    const { ClientRequest } = require('node:http');
    const emit = ClientRequest.prototype.emit;
    let answers = 0;
    ClientRequest.prototype.emit = function (event, ...rest) {
      if (event === 'response' && ++answers === ${nth}) ${how};
      return emit.call(this, event, ...rest);
    };`;

  it.each([
    ['an event handler', "throw new TypeError('it broke')"],
    ['a promise that nobody waits for', "return void Promise.reject(new TypeError('it broke'))"],
  ])('in %s is told in the same words, with a file, exit 1', async (_where, how) => {
    const { stdout, stderr, exit } = await runWith(atAnswer(how), 'members list');
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    const [, file = ''] = TOLD.exec(stderr) ?? [stderr];
    expect(readFileSync(file, 'utf8')).toMatch(/\nttctl members list\n\nTypeError: it broke\n {4}at /);
    const json = await runWith(atAnswer(how), 'members list --json');
    expect(json).toMatchObject({ stdout: '', exit: 1 });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'unexpected', exit: 1, message: 'it broke' });
  });

  it('leaves whole rows, and nothing after them', async () => {
    t.answer = ({ line }) => {
      const current_page = /[?&]page=2/.test(line) ? 2 : 1;
      const pagination = { total: 2, per_page: 1, current_page, last_page: 2 };
      return {
        body: envelope([{ id: current_page, email: `m${current_page}@example.com` }], { pagination }),
      };
    };
    const code = atAnswer("throw new TypeError('it broke')", 2);
    const { stdout, stderr, exit } = await runWith(
      code,
      'members list --per-page 1 -o csv --columns id,email',
    );
    expect({ stdout, exit }).toEqual({ stdout: 'id,email\r\n1,m1@example.com\r\n', exit: 1 });
    expect(stderr).toMatch(TOLD);
  });

  it('ends a server', async () => {
    const code = `const { Server } = require('node:net'), { listen } = Server.prototype;
      Server.prototype.listen = function (...args) {
        return listen.apply(this.once('listening', () => setImmediate(() => { throw new TypeError('it broke') })), args);
      };`;
    const { stderr, exit } = await runWith(code, 'sandbox start --port 0 --quiet');
    expect([exit, stderr.slice(stderr.indexOf('error:'))]).toEqual([1, expect.stringMatching(TOLD)]);
  });

  it('is also a run that nothing goes on with', async () => {
    const { stdout, stderr, exit } = await runWith(
      'process.stdout.write = () => true;',
      'profile list --json',
    );
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'unexpected', exit: 1 });
  });
});

describe('what is written down', () => {
  const machine = (now: number): Machine => {
    const redactor = createRedactor();
    redactor.register('canary-4be1c07d');
    const clock = { now: () => now, random: () => 0, sleep: async () => {} };
    const facts = { version: '0.0.0', nodeVersion: '20.18.1', pid: 7, platform: 'linux', env: t.env };
    return { ...facts, clock, redactor } as unknown as Machine;
  };

  it('has no secret in it, be it in the words, the message or the cause', () => {
    const cause = new Error('refused canary-4be1c07d');
    const fault = new Error('for Bearer canary-4be1c07d', { cause });
    const args = ['api', '-X', 'POST', '/x', '--field', 'client_secret=of-nobody-7'];
    const text = readFileSync(writeFaultReport(fault, args, machine(0)) ?? '', 'utf8');
    expect(text).toContain('[cause]: Error: refused ***');
    expect(text).not.toMatch(/canary|of-nobody/);
  });

  it('is the latest ten', () => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    t.file('state/faults/0-notes.txt', '');
    const files = Array.from({ length: 12 }, (_, n) =>
      writeFaultReport(new Error('x'), [], machine(n * 1000)),
    );
    expect(readdirSync(folder())).toContain('0-notes.txt');
    const kept = readdirSync(folder()).sort().slice(1);
    expect(kept.length).toBe(10);
    expect(files.at(-1)).toBe(join(folder(), kept.at(-1) ?? ''));
  });

  it('is nothing where a directory may not be written', () => {
    t.file('state', '');
    expect(writeFaultReport(new Error('x'), [], machine(0))).toBe(undefined);
  });
});
