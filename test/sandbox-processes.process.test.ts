import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isFree } from './support/oauth.ts';
import { BIN, finished } from './support/process.ts';
import { useCli } from './support/use-cli.ts';
import { post, signedHeaders, startListener, startReceiver } from './support/webhooks.ts';

/** The embedded sandbox under several processes, one that is killed, its webhooks on their way; and `sandbox exec`. */

const t = useCli({ sandbox: 'demo' });

it.skipIf(process.platform === 'win32')(
  'a run that is killed has done what it says, and goes on',
  async () => {
    /** How much was added to the state since it was written whole. */
    const changes = () => {
      const text = t.text('state/sandbox/world.json');
      return text.length - text.split('\n', 1).join('').length;
    };
    for (const size of [2_000, 20_000]) {
      await t.read('sandbox reset --seed month-end');
      // At 40 writes a second it takes four seconds, and cannot end before it is killed.
      const env = { TTCTL_RATE_LIMIT: '10000/60,40/1' };
      const child = t.start('timesheets approve --all --yes --quiet --json', { env });
      const ended = finished(child);
      await expect.poll(changes, { interval: 5, timeout: 60_000 }).toBeGreaterThan(size);
      child.kill('SIGKILL');
      await ended;
      expect(changes()).toBeGreaterThan(0);
      const [job] = await t.rows('jobs list');
      const results = await t.rows(`jobs show ${job?.['id']}`);
      const done = results.filter(({ status }) => status === 'done').map(({ target }) => target);
      const approved = (await t.rows('timesheets list --status approved')).map(({ id }) => id);
      expect(done.length).toBeGreaterThan(0);
      expect(approved).toEqual(expect.arrayContaining(done));
      expect((await t.run(`jobs resume ${job?.['id']} --yes --quiet`)).exit).toBe(0);
      expect(await t.json('timesheets list --status submitted')).toEqual([]);
    }
  },
);

describe('webhooks', () => {
  const receive = async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    return { receiver, create: `webhooks create --event project.created --url ${receiver.url}` };
  };

  it('of several commands at once: each record has the id that was said, each event is delivered once', async () => {
    const { receiver, create } = await receive();
    await t.read(create);
    const names = ['Ada', 'Bo', 'Cy', 'Di', 'Eva', 'Fay', 'Gil'];
    const made = await Promise.all(
      names.map(async (name) => {
        const { stdout } = await t.process(`projects create --name ${name} -o ids`);
        return `${stdout.trim()} ${name}`;
      }),
    );
    const listed = (await t.rows('projects list')).map(({ id, name }) => `${id} ${name}`);
    expect(listed).toEqual(expect.arrayContaining(made));
    const got = receiver.received.map(({ body }) => JSON.parse(body));
    expect(got.map(({ data }) => `${data.id} ${data.name}`).sort()).toEqual(made.toSorted());
    expect(new Set(got.map(({ id }) => id)).size).toBe(names.length);
    const rows = await t.rows('sandbox webhooks deliveries');
    expect(rows).toMatchObject(names.map(() => ({ status: 'delivered', attempts: 1 })));
  });

  it('are delivered before sandbox exec ends', async () => {
    const { receiver, create } = await receive();
    const script = `"$0" "$1" ${create} && exec "$0" "$1" projects create --name Quay`;
    const exec = ['sandbox', 'exec', '--', 'sh', '-c', script, process.execPath, BIN];
    const { exit, stderr } = await t.process(exec);
    expect(exit, stderr).toBe(0);
    expect(receiver.events()).toEqual(['project.created']);
  });

  it('reach webhooks listen, signed with the token of the webhook, wherever the clock was moved', async () => {
    const own = ['--create', '--event', 'project.created', '--require-signature', '--limit', '1'];
    await t.read('sandbox clock advance 15d');
    const { ended } = await startListener(own, t.processEnv());
    await t.process(['projects', 'create', '--name', 'Brücke']);
    const { stdout, exit } = await ended;
    expect(exit).toBe(0);
    const payload = { event: 'project.created', data: { name: 'Brücke' } };
    expect(JSON.parse(stdout)).toMatchObject({ event: 'project.created', signature: 'valid', payload });
    expect(await t.read('webhooks list --json')).not.toContain('project.created');
  });

  it('S10 are refused by listen --create where they are not signed, and not where they are in another format', async () => {
    const { url, ended } = await startListener(['--create', '--limit', '2'], t.processEnv());
    expect((await post(url, '{}')).status).toBe(401);
    const forged = signedHeaders('{}', { id: 'x', key: 'another', seconds: Math.floor(Date.now() / 1000) });
    expect((await post(url, '{}', forged)).status).toBe(401);
    expect((await post(url, '{"n":1}', { 'x-signature': 'abc' })).status).toBe(200);
    await t.process('projects create --name Quay');
    const { stdout, exit, stderr } = await ended;
    expect(exit, stderr).toBe(0);
    const rows = stdout.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).signature)).toEqual(['none', 'valid']);
  });
});

describe('sandbox exec', () => {
  const TTCTL = `"${process.execPath}" "${BIN}"`;
  const run = (command: readonly string[], flags: readonly string[] = [], env = {}) =>
    t.process(['sandbox', 'exec', ...flags, '--', ...command], { env: { TTCTL_RATE_LIMIT: '', ...env } });
  const exec = (script: string, flags?: readonly string[], env?: object) =>
    run(['sh', '-c', script], flags, env);

  it('has its seed, is at every address, no profile leads elsewhere, and nobody else stops it', async () => {
    const status = `${TTCTL} sandbox status -o csv --columns kind; ${TTCTL} sandbox stop; echo $?`;
    const script = `env; ${TTCTL} timesheets list --status submitted --quiet -o ids | wc -l; ${status}`;
    const { stdout, stderr, exit } = await exec(script, ['--seed', 'month-end']);
    expect(exit, stderr).toBe(0);
    const lines = stdout.trim().split(/\r?\n/);
    const pairs = lines.map((line) => /^(TTCTL_\w+)=(.*)$/.exec(line)?.slice(1) ?? ['', '']);
    const env = Object.fromEntries(pairs);
    const url = env['TTCTL_AUTH_URL'];
    expect(env).toMatchObject({
      ...{ TTCTL_BASE_URL: `${url}/api/v2`, TTCTL_TOKEN_URL: url, TTCTL_WORKSPACE: '101' },
      TTCTL_TOKEN: expect.stringMatching(/^sbx_/),
      TTCTL_PROFILE: 'default',
      TTCTL_SANDBOX_SECRET: expect.stringMatching(/^\w{48}$/),
    });
    expect(lines.slice(-4)).toEqual([expect.stringMatching(/^ *180$/), 'kind', 'server', '2']);
    expect(stderr).toContain('this sandbox belongs to sandbox exec and stops when its command ends');
    expect(await isFree(Number(new URL(url ?? '').port))).toBe(true);
  });

  it('has no limits unless they are asked for, and its commands know', async () => {
    const limits = async (...args: [flags?: string[], env?: object]) =>
      (await exec('echo "$TTCTL_RATE_LIMIT"', ...args)).stdout;
    expect(await limits()).toBe('off\n');
    expect(await limits(['--limits'])).toBe('150/60,20/1\n');
    // Whoever sets it means the command.
    expect(await limits([], { TTCTL_RATE_LIMIT: '5/1,1/1' })).toBe('5/1,1/1\n');
  });

  const UPDATE = `${TTCTL} members update 109 --weekly-hours-limit 30 --yes`;

  it("has its own directories, without the user's settings, and they are gone afterwards", async () => {
    const temporary = t.file('tmp');
    mkdirSync(temporary);
    await t.read('profile set --profile yours --base-url https://a.example/v2');
    const writes = `${TTCTL} profile set --profile mine --base-url https://a.example/v2; ${UPDATE}`;
    const list = `${TTCTL} profile list -o csv --columns name`;
    const look = 'cd "$TTCTL_CONFIG_DIR" && ls settings.json && cd "$TTCTL_STATE_DIR" && ls -d runs';
    const print = 'echo "$TTCTL_CONFIG_DIR $TTCTL_STATE_DIR $TTCTL_CACHE_DIR"';
    const { stdout, stderr, exit } = await exec(`${print}; ${list}; ${writes}; ${look}`, [], {
      TMPDIR: temporary,
    });
    expect(exit, stderr).toBe(0);
    const [folders = '', ...rest] = stdout.trim().split('\n');
    expect(folders.split(' ').every((folder) => folder.startsWith(`${temporary}/ttctl-exec-`))).toBe(true);
    expect(rest.slice(-2)).toEqual(['settings.json', 'runs']);
    expect(stdout).not.toContain('yours');
    expect(readdirSync(temporary)).toEqual([]);
    expect(t.text('config/settings.json')).not.toContain('mine');
    expect(existsSync(`${t.state}/runs`)).toBe(false);
    expect((await exec(list, ['--keep-state'])).stdout).toContain('yours');
  });

  it('has none where nothing can be written, and the command runs', async () => {
    const nowhere = { HOME: '/dev/null', TMPDIR: '/dev/null', TTCTL_STATE_DIR: '', TTCTL_CONFIG_DIR: '' };
    const script = `${UPDATE} --json && ${TTCTL} members get 109 --query weekly_hours_limit`;
    const { stdout, stderr, exit } = await exec(script, [], nowhere);
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/"status": "done"[\s\S]*\n30\n$/);
  });

  it.each([
    ['exit 42', 42],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['exit 147', 147],
  ])('ends as its command, and leaves nothing: %s', async (end, code) => {
    const { stdout, exit } = await exec(`echo $TTCTL_AUTH_URL $PPID $$; ${end}`);
    expect(exit).toBe(code);
    const [url = '', ...pids] = stdout.trim().split(' ');
    expect(await isFree(Number(new URL(url).port))).toBe(true);
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  it('tells of a command that is not there, and of one that cannot be run', async () => {
    const none = await run(['no-such-command-of-any-kind']);
    expect(none).toMatchObject({ exit: 127, stderr: expect.stringContaining('no-such-command-of-any-kind') });
    const refused = await run([t.file('plain', 'text')]);
    expect(refused).toMatchObject({ exit: 126, stderr: expect.stringContaining('cannot be run') });
    expect((await run([])).exit).toBe(2);
  });

  it('ends though somebody still holds a request that is never sent whole', async () => {
    const file = t.file(
      'hold.mjs',
      `import { connect } from 'node:net';
       const socket = connect(Number(new URL(process.env.TTCTL_AUTH_URL).port), '127.0.0.1', () => {
         socket.write('POST /api/v2/members HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 100\\r\\n\\r\\nabc');
         console.log(process.pid);
       });
       socket.on('error', () => {}).on('close', () => process.exit());`,
    );
    // It lives on behind the command.
    const script = `"${process.execPath}" "${file}" > held & while ! test -s held; do :; done; exit 5`;
    expect((await exec(script)).exit).toBe(5);
  });
});
