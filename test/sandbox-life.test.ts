import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatUptime } from '../src/sandbox-host/server.ts';
import { BIN, cleanHome, type Finished, type Home, runBinary } from './support/binary.ts';
import { freePort, isFree } from './support/sign-in.ts';

/** Ports that are taken, and what `sandbox exec` leaves behind: nothing. */

let home: Home;
const places: string[] = [];
beforeEach(() => {
  home = cleanHome();
});
afterEach(async () => {
  for (const place of places.splice(0)) await ttctl(place, 'sandbox', 'stop');
  home.remove();
});

/** Another place of state: another sandbox beside. */
const ttctl = (place: string, ...args: string[]): Promise<Finished> =>
  runBinary(args, { env: { ...home.env, TTCTL_STATE_DIR: join(home.folder, place) } });

const detach = async (place: string, port: number) => {
  places.push(place);
  const started = await ttctl(place, 'sandbox', 'start', '--port', String(port), '--detach', '--json');
  return JSON.parse(started.stdout);
};

const listen = (port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => void socket.resume().on('error', () => {}));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

it.runIf(process.platform === 'linux').each([[], ['--detach']])(
  'a server that cannot say where it is ends (%j)',
  async (...more) => {
    const args = ['sandbox', 'start', '--port', '0', ...more];
    const { exit, stderr } = await runBinary(args, { env: { ...home.env, TTCTL_STATE_DIR: '/proc/1/x' } });
    expect([exit, stderr]).toEqual([1, expect.stringContaining('cannot use the directory /proc/1/x')]);
  },
);

it.each(['', 'Foo/Bar', 'Etc/Unknown'])('times are in UTC where TZ is %j', async (TZ) => {
  const args = ['--profile', 'sandbox', 'leaves', 'list', '--limit', '1', '-o', 'table'];
  const { exit, stdout, stderr } = await runBinary(args, { env: { ...home.env, TZ } });
  const warning = `warning: TZ=${TZ} is not a time zone: times are in UTC. Use an IANA name such as Europe/Berlin.\n`;
  const warned = TZ === '' ? '' : warning;
  expect([exit, stderr.replace(warned, '')]).toEqual([0, 'Showing 1 of 6.\n']);
  expect(stderr).toContain(warned);
  expect(stdout).toMatch(/\d\d:\d\dZ/);
});

describe('a port that is taken', () => {
  it('by another sandbox says by which, for how long, and how to stop it', async () => {
    const port = await freePort();
    const { pid } = await detach('first place', port);
    for (const more of [[], ['--detach']]) {
      const refused = await ttctl('second', 'sandbox', 'start', '--port', String(port), ...more);
      expect(refused.exit).toBe(1);
      expect(refused.stderr).toMatch(
        new RegExp(`^error: port ${port} is taken by another sandbox \\(process ${pid}, up \\d+ s\\)$`, 'm'),
      );
      expect(refused.stderr).toContain(
        `TTCTL_STATE_DIR='${join(home.folder, 'first place')}' ttctl sandbox stop`,
      );
      expect(refused.stderr).toContain('--port 0');
    }
  });

  it('by a sandbox of exec says that it ends with its command', async () => {
    const script = `"$0" "$1" sandbox start --port "\${TTCTL_AUTH_URL##*:}"`;
    const { exit, stderr } = await ttctl(
      'own',
      'sandbox',
      'exec',
      '--',
      'sh',
      '-c',
      script,
      process.execPath,
      BIN,
    );
    expect(exit).toBe(1);
    expect(stderr).toMatch(/is taken by another sandbox \(process \d+, up \d+ s\)/);
    expect(stderr).toContain('It stops with its command');
  });

  it('by another process is told too', async () => {
    const server = await listen(0);
    const { port } = server.address() as { port: number };
    const { exit, stderr } = await ttctl('own', 'sandbox', 'start', '--port', String(port));
    expect(exit).toBe(1);
    expect(stderr).toContain(`port ${port} is taken\n`);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is free again when stop has returned', async () => {
    const port = await freePort();
    for (let round = 0; round < 3; round += 1) {
      await detach('own', port);
      expect((await ttctl('own', 'sandbox', 'stop')).exit).toBe(0);
      expect(await isFree(port)).toBe(true);
    }
  });

  it('is found by stop and env, though TTCTL_PROFILE names the embedded sandbox', async () => {
    const port = await freePort();
    await detach('own', port);
    const env = { ...home.env, TTCTL_STATE_DIR: join(home.folder, 'own'), TTCTL_PROFILE: 'sandbox' };
    const { stdout } = await runBinary(['sandbox', 'env', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ TTCTL_AUTH_URL: `http://127.0.0.1:${port}` });
    expect(JSON.parse((await runBinary(['sandbox', 'stop', '--json'], { env })).stdout)).toMatchObject({
      stopped: true,
    });
    expect(await isFree(port)).toBe(true);
  });

  it('has been so for so long', () => {
    expect([0, 59, 60, 3599, 3600, 86_399, 200_000].map(formatUptime)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '59 min',
      '1 h',
      '23 h',
      '2 d',
    ]);
  });
});

/** So many runs in CI; `TTCTL_EXEC_RUNS=100` for the long form. */
const RUNS = Number(process.env.TTCTL_EXEC_RUNS || 4);

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('sandbox exec', () => {
  const ENDS = [
    ['exit 0', 0],
    ['exit 42', 42],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['kill -SEGV $$', 139],
    ['exit 255', 255],
  ] as const;

  it(`ends as its command does and leaves nothing, ${RUNS} times`, { timeout: 600_000 }, async () => {
    for (let round = 0; round < RUNS; round += 1) {
      const [end, code] = ENDS[round % ENDS.length] ?? ENDS[0];
      const told = 'echo $TTCTL_AUTH_URL $PPID $$';
      const run = await ttctl('own', 'sandbox', 'exec', '--', 'sh', '-c', `${told}; ${end}`);
      expect(run.exit).toBe(code);
      const [url = '', ...pids] = run.stdout.trim().split(' ');
      expect(await isFree(Number(new URL(url).port))).toBe(true);
      expect(pids.map(Number).filter(alive)).toEqual([]);
    }
  });

  it('ends though somebody still holds a request that is never sent whole', async () => {
    const file = join(home.folder, 'hold.mjs');
    writeFileSync(
      file,
      `import { connect } from 'node:net';
       const socket = connect(Number(new URL(process.env.TTCTL_AUTH_URL).port), '127.0.0.1', () => {
         socket.write('POST /api/v2/members HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 100\\r\\n\\r\\nabc');
         console.log(process.pid);
       });
       socket.on('error', () => {}).on('close', () => process.exit());`,
    );
    // It lives on behind the command.
    const script = '"$0" "$1" > held & while ! test -s held; do :; done; exit 5';
    const { exit } = await runBinary(['sandbox', 'exec', '--', 'sh', '-c', script, process.execPath, file], {
      env: home.env,
      cwd: home.folder,
    });
    expect(exit).toBe(5);
  });

  it('has a sandbox that nobody stops', async () => {
    const args = ['sandbox', 'exec', '--', process.execPath, BIN, 'sandbox', 'stop'];
    const { exit, stderr } = await ttctl('own', ...args);
    expect(exit).toBe(2);
    expect(stderr).toContain('this sandbox belongs to sandbox exec and stops when its command ends');
  });
});
