import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectLogged, readLog } from '../support/event-log.ts';
import { begin, freePort, home, service, type TokenReply, useService } from '../support/oauth.ts';
import { type Finished, runBinary } from '../support/process.ts';

/**
 * Every secret of the service has `canary` in it; only the credentials file may hold them, and `auth token` may print one.
 */

useService({ withSecret: true });

const seen: string[] = [];
/** The command lines of all processes in this home: others may do what they like. */
const lookAtProcesses = (): void => {
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1').includes(`HOME=${home.folder}\0`);
      if (isOurs) seen.push(readFileSync(`/proc/${name}/cmdline`, 'latin1'));
    } catch {
      // It has gone.
    }
  }
};

const expectNoSecret = (outcomes: readonly Finished[], but = /credentials\.json(\.bak)?$/): void => {
  for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain('canary');
  for (const name of readdirSync(home.folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(home.folder, name);
    if (!statSync(path).isFile() || but.test(name)) continue;
    expect(readFileSync(path, 'latin1'), name).not.toContain('canary');
  }
  expect(seen.filter((line) => line.includes('canary'))).toEqual([]);
};

// ECHO is all that the client has sent.
it.each<[string, TokenReply | undefined]>([
  ['nothing wrong', undefined],
  [
    'a refusal that repeats what it was sent',
    { status: 400, body: '{"error":"invalid_grant","error_description":"bad: ECHO"}' },
  ],
  ['HTML that repeats it', { headers: { 'content-type': 'text/html' }, body: 'ECHO' }],
  ['broken JSON that repeats it', { body: '{"access_token": ECHO' }],
  ['a useless answer', { body: '{"access_token":"ECHO","token_type":"mac"}' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/?token=ECHO' }, body: '' }],
  ['a cut', { cut: true }],
])('no secret is in a stream, a file, the list of processes or a trace: %s', async (_name, reply) => {
  seen.length = 0;
  service.mood.reply = ({ form }) => {
    // Whoever asks waits for the answer: it is among the processes now, however busy the machine.
    lookAtProcesses();
    const text = Object.values(form).join(' ');
    return reply && JSON.parse(JSON.stringify(reply).replaceAll('ECHO', text));
  };
  const watch = setInterval(lookAtProcesses, 15);
  const log = join(home.folder, 'log.ndjson');
  const env = { ...home.env, TTCTL_LOG: log };
  const outcomes: Finished[] = [];
  // Those that ask the token host; and where nothing is wrong, the others.
  const lines = ['auth refresh', 'auth login --client-credentials', 'workspaces list'];
  if (reply === undefined)
    lines.push(...['auth status', 'auth check', 'auth logout --yes', 'profile show', 'profile list']);
  for (const line of lines) {
    for (const debug of reply === undefined ? ['', ' --debug'] : [' --debug']) {
      home.keep(service.issue(), line === 'auth refresh' ? undefined : -1000);
      outcomes.push(await runBinary(`${line}${debug}`.split(' '), { env }));
    }
  }
  // The renewing process was seen among the others.
  expect(seen.some((line) => line.includes('renew.cjs'))).toBe(true);
  const trace = outcomes.map(({ stderr }) => stderr).join('');
  if (reply === undefined) expect(trace).toMatch(/oauth\/token[\s\S]*refresh_token":"\*\*\*"/);

  const redirect = `http://127.0.0.1:${await freePort()}/callback`;
  const signIn = await begin(`auth login --no-browser --debug --redirect-uri ${redirect}`.split(' '), env);
  signIn.type(service.redirectOf(signIn.url).replace(/state=[^&]+/, 'state=another'));
  expect(await (await fetch(service.redirectOf(signIn.url))).text()).not.toContain('canary');
  outcomes.push(await signIn.ended);
  clearInterval(watch);

  expectNoSecret(outcomes);
  // Those of the renewing process too.
  expectLogged(readLog(log), service.received);
});

it('O16: nor the token that a command prints, though the command says it on stderr too', async () => {
  seen.length = 0;
  const vault = join(home.folder, 'vault');
  writeFileSync(vault, service.issue().access);
  const login = [
    'auth',
    'login',
    '--base-url',
    service.baseUrl,
    '--token-command',
    `cat; cat ${vault} >&2; cat ${vault}`,
  ];
  const env = { ...home.env, TTCTL_LOG: join(home.folder, 'log.ndjson') };
  const watch = setInterval(lookAtProcesses, 15);
  const outcomes: Finished[] = [await runBinary([...login, '--debug'], { env })];
  const lines = ['auth status', 'auth check', 'auth refresh', 'profile show', 'profile list', 'doctor'];
  for (const line of [
    ...lines,
    'workspaces list',
    'members restore 17',
    'members archive 17 18 --yes',
    'status',
  ])
    outcomes.push(await runBinary([...line.split(' '), '--debug'], { env }));
  // What is piped in is not read by the command.
  outcomes.push(await runBinary(['members', 'restore', '-', '--yes'], { env, input: '17\n18\n' }));
  writeFileSync(vault, `${service.issue().access}\nof work`);
  outcomes.push(await runBinary(['workspaces', 'list', '--debug'], { env }));
  clearInterval(watch);
  expect(seen.some((line) => line.includes('vault'))).toBe(true);
  expect(outcomes.map(({ exit }) => exit)).toEqual([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
  expectNoSecret(outcomes, /^vault$/);
});
