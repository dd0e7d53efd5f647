import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectLogged, readLog } from '../support/event-log.ts';
import { begin, freePort, home, service, type TokenReply, useService } from '../support/oauth.ts';
import { type Finished, runBinary } from '../support/process.ts';

/**
 * No secret appears in a stream, a file, the list of processes or a debug trace. Every
 * secret of the service has `canary` in it; only the credentials file may hold them, and `auth token` may print one.
 */

useService({ withSecret: true });
let log: string;
let seen: string[];
let watch: ReturnType<typeof setInterval>;

/** The command lines of all processes in this home, while the test runs: others may do what they like. */
const lookAtProcesses = (): void => {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1').includes(`HOME=${home.folder}\0`);
      if (isOurs) seen.push(readFileSync(`/proc/${name}/cmdline`, 'latin1'));
    } catch {
      // It has gone.
    }
  }
};

beforeEach(async () => {
  log = join(home.folder, 'log.ndjson');
  seen = [];
  watch = setInterval(lookAtProcesses, 15);
});
afterEach(async () => {
  clearInterval(watch);
});

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

const MAY_HOLD = /credentials\.json(\.bak)?$/;

const expectNoCanary = (outcomes: readonly Finished[]): void => {
  for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain('canary');
  for (const file of filesOf(home.folder)) {
    if (!MAY_HOLD.test(file)) expect(readFileSync(file, 'latin1'), file).not.toContain('canary');
  }
  expect(seen.filter((line) => line.includes('canary'))).toEqual([]);
};

const run = (line: string) => runBinary(line.split(' '), { env: { ...home.env, TTCTL_LOG: log } });

const COMMANDS = [
  'auth status',
  'auth check',
  'auth refresh',
  'auth login --client-credentials',
  'auth logout --yes',
  'workspaces list',
  'profile show',
  'profile list',
];

/** Those that ask the token host. */
const ASKING = ['auth refresh', 'auth login --client-credentials', 'workspaces list'];

const FAULTS: readonly (readonly [string, TokenReply | undefined])[] = [
  ['nothing wrong', undefined],
  ['a refusal that repeats what it was sent', { status: 400, body: 'ECHO' }],
  ['HTML that repeats it', { headers: { 'content-type': 'text/html' }, body: 'ECHO' }],
  ['broken JSON that repeats it', { body: '{"access_token": ECHO' }],
  ['a useless answer', { body: '{"access_token":"ECHO","token_type":"mac"}' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/?token=ECHO' }, body: '' }],
  ['a cut', { cut: true }],
];

/** Puts all that the client sent where the answer has ECHO. */
const echoing = (reply: TokenReply | undefined, text: string): TokenReply | undefined => {
  if (reply === undefined) return undefined;
  const error = JSON.stringify({ error: 'invalid_grant', error_description: `bad: ${text}` });
  const body =
    reply.body === 'ECHO' && reply.headers === undefined ? error : reply.body?.replaceAll('ECHO', text);
  const headers = Object.fromEntries(
    Object.entries(reply.headers ?? {}).map(([name, value]) => [name, value.replaceAll('ECHO', text)]),
  );
  return { ...reply, ...(body === undefined ? {} : { body }), headers };
};

describe('no secret is shown or left', () => {
  it.each(FAULTS)('by any command, with and without --debug: %s', async (_name, reply) => {
    service.mood.reply = (call) => {
      // Whoever asks waits for the answer: it is among the processes now, however busy the machine.
      lookAtProcesses();
      return echoing(reply, Object.values(call.form).join(' '));
    };
    const outcomes: Finished[] = [];
    for (const line of reply === undefined ? COMMANDS : ASKING) {
      for (const debug of reply === undefined ? ['', ' --debug'] : [' --debug']) {
        home.keep(service.issue(), line === 'auth refresh' ? undefined : -1000);
        outcomes.push(await run(`${line}${debug}`));
      }
    }
    expectNoCanary(outcomes);
    // Those of the renewing process too.
    expectLogged(readLog(log), service.received);
    // The renewing process was seen among the others.
    expect(seen.some((line) => line.includes('renew.cjs'))).toBe(true);
    // The trace shows the exchange, masked.
    if (reply === undefined)
      expect(outcomes.some(({ stderr }) => /oauth\/token[\s\S]*refresh_token":"\*\*\*"/.test(stderr))).toBe(
        true,
      );
  });

  it.each([...FAULTS])('by a sign-in: %s', async (_name, reply) => {
    service.mood.reply = (call) => echoing(reply, Object.values(call.form).join(' '));
    const redirect = `http://127.0.0.1:${await freePort()}/callback`;
    const args = ['auth', 'login', '--no-browser', '--debug', '--redirect-uri', redirect];
    const { url, type, ended } = await begin(args, { ...home.env, TTCTL_LOG: log });
    const wrong = service.redirectOf(url).replace(/state=[^&]+/, 'state=another');
    type(wrong);
    const page = await (await fetch(service.redirectOf(url))).text();
    expect(page).not.toContain('canary');
    expectNoCanary([await ended]);
    expectLogged(readLog(log), service.received);
  });
});
