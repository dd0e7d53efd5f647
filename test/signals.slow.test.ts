import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { realClock } from '../src/platform/machine.ts';
import { withLock } from '../src/storage/lock.ts';
import { type Answering, startServer } from './support/loopback.ts';
import { BIN, cleanHome, promptly } from './support/process.ts';
import { envelope, onePage } from './support/service.ts';
import { eventBody, post } from './support/webhooks.ts';

/**
 * One signal ends any command, wherever it waits, and the process dies of it. In each row what is waited for never comes: everything is held open
 * until the process has ended.
 */

interface Waiting {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly stdout: () => string;
  readonly home: string;
  readonly requests: () => number;
}

interface Case {
  readonly name: string;
  /** `HOME` is the home of the run, `PORT` that of the service. */
  readonly line: string;
  /** The service; default: it takes requests and never answers. */
  readonly answer?: Answering;
  /** Written to stdin, which stays open. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether nobody reads stdout. */
  readonly unread?: true;
  /** Once the command is in its wait. */
  readonly until: (waiting: Waiting) => Promise<void>;
  /** Before the command; what it gives is called at the end. */
  readonly before?: (home: string) => Promise<() => void>;
}

const eventually = async (look: () => boolean): Promise<void> => {
  while (!look()) await pause(10);
};

const asked = ({ requests }: Waiting) => eventually(() => requests() > 0);
const says = (word: string) => (waiting: Waiting) =>
  eventually(() => (waiting.stderr() + waiting.stdout()).includes(word));
/** More than a pipe takes was written: the command has read of it, and reads on. */
const reads = ({ child }: Waiting) =>
  new Promise<void>((resolve) => void child.stdin?.write(' '.repeat(1 << 20), () => resolve()));
/** The command waits for more of its stdin: what is written here would be refused, as more than a token has. */
const listens = ({ child }: Waiting) =>
  eventually(() => {
    const folder = `/proc/${child.pid}/fdinfo`;
    return readdirSync(folder).some((fd) => {
      try {
        return /^tfd:\s+0 /m.test(readFileSync(join(folder, fd), 'utf8'));
      } catch {
        return false; // closed since
      }
    });
  });
/** The command has opened it. */
const opened =
  (name: string) =>
  ({ child, home }: Waiting) =>
    eventually(() => {
      const folder = `/proc/${child.pid}/fd`;
      return readdirSync(folder).some((fd) => {
        try {
          return readlinkSync(join(folder, fd)) === join(home, name);
        } catch {
          return false;
        }
      });
    });

const pipe = async (home: string): Promise<() => void> => {
  execFileSync('mkfifo', [join(home, 'pipe')]);
  return () => {};
};
/** The credentials are in use. */
const heldCredentials = async (home: string): Promise<() => void> => {
  const folder = join(home, '.config', 'ttctl');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let release = (): void => {};
  const work = new Promise<void>((resolve) => {
    release = resolve;
  });
  await new Promise<void>((held) => {
    void withLock(join(folder, 'credentials.json'), realClock, async () => {
      held();
      await work;
    });
  });
  return () => release();
};

const json =
  (body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Answering =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const rows = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, firstname: 'A', lastname: 'B' }));
const twoPages = envelope(rows, {
  pagination: { total: 200, per_page: 100, current_page: 1, last_page: 2, from: 1, to: 100 },
});

const OAUTH =
  '--base-url http://127.0.0.1:PORT/api --auth-url http://127.0.0.1:PORT --token-url http://127.0.0.1:PORT --client-id a';
const SANDBOX = { TTCTL_PROFILE: 'sandbox' };
const NONE = { TTCTL_TOKEN: '', TTCTL_BASE_URL: '', TTCTL_WORKSPACE: '' };

const wait = (name: string, line: string, until: Case['until'], more: Partial<Case> = {}): Case => ({
  ...{ name, line, until, ...more },
});
const untilDelivery = async (waiting: Waiting) => {
  await says('Ctrl-C')(waiting);
  const url = /Listening on (\S+)/.exec(waiting.stderr())?.[1] ?? '';
  await post(url, eventBody('member.invited'));
  await says('is.up')(waiting);
};
const untilLocked = async (waiting: Waiting) => {
  waiting.child.stdin?.end();
  await asked(waiting);
};
const BUSY = json({ success: false, message: 'Too Many Attempts.' }, { 'retry-after': '3600' }, 429);
const LISTED = json(onePage([{ id: 7, workspace_name: 'A', role: 'Owner', status: 'active' }]));
const HALF: Answering = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"success":true,"data":[');
};
const REDIRECT = '--redirect-uri http://127.0.0.1:REDIRECT/callback';
const IN_PIPE = { before: pipe };

const CASES: readonly Case[] = [
  wait('targets on stdin', 'timesheets approve - --yes', reads),
  wait('a file on stdin', 'timesheets approve --from-file - --yes', reads, { input: 'id\n17' }),
  wait('a token on stdin', 'auth login --token-stdin --profile x', listens),
  wait('deliveries on stdin', 'webhooks replay - --exec true', reads),
  wait('a pipe nobody writes to', 'timesheets approve --from-file HOME/pipe --yes', opened('pipe'), IN_PIPE),
  wait('a body in a pipe', 'api POST /projects --input HOME/pipe', opened('pipe'), IN_PIPE),
  wait('an answer', 'members list', asked),
  wait('the rest of an answer', 'members list --json', asked, { answer: HALF }),
  wait('a service that is busy', 'members list --max-wait 7200', asked, { answer: BUSY }),
  wait('the budget of requests', 'members list --json', asked, {
    ...{ env: { TTCTL_RATE_LIMIT: '1/3600,1/3600' }, answer: json(twoPages) },
  }),
  wait('the lock of the credentials', 'auth login --token-stdin --profile x', untilLocked, {
    ...{ input: 'token-of-a-test\n', before: heldCredentials, answer: LISTED },
  }),
  wait('a browser', `auth login --no-browser ${OAUTH} --profile x ${REDIRECT}`, says('/oauth/authorize'), {
    env: { ...NONE, TTCTL_CLIENT_SECRET: 'secret-of-a-test' },
  }),
  wait('a service that is examined', 'doctor', asked),
  wait('what waits for a decision', 'inbox --no-input', asked),
  wait('deliveries', 'webhooks listen --port 0', says('Listening on')),
  wait('requests', 'sandbox start --port 0', says('http://127.0.0.1'), { env: NONE }),
  wait('a command', "sandbox exec -- sh -c 'echo is.up; exec sleep 60'", says('is.up'), { env: NONE }),
  wait('a handler', "webhooks listen --port 0 --exec 'echo is.up; exec sleep 60'", untilDelivery),
  wait(
    'somebody who reads stdout',
    'api GET /members',
    ({ child }) => new Promise((resolve) => void child.stdout?.once('readable', resolve)),
    { answer: json(envelope('x'.repeat(8 << 20))), unread: true },
  ),
];

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

const NEVER: Answering = () => {};
/** Of words, one in quotes is one. */
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');

const freePort = async (): Promise<number> => {
  const server = await startServer(NEVER);
  await server.close();
  return server.port;
};

const start = async ({ line, answer = NEVER, input, env, unread, before }: Case) => {
  const home = cleanHome();
  const server = await startServer(answer);
  const undo = await before?.(home.folder);
  const service = {
    TTCTL_BASE_URL: `http://127.0.0.1:${server.port}/api/v2`,
    TTCTL_TOKEN: 'token-of-the-test',
    TTCTL_WORKSPACE: '7',
  };
  const redirect = line.includes('REDIRECT') ? await freePort() : 0;
  const whole = line
    .replaceAll('HOME', home.folder)
    .replaceAll('PORT', String(server.port))
    .replaceAll('REDIRECT', String(redirect));
  const variables = env === SANDBOX ? SANDBOX : { ...service, ...env };
  const child = spawn(process.execPath, [BIN, ...wordsOf(whole)], { env: { ...home.env, ...variables } });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  if (unread === undefined) child.stdout.on('data', (chunk) => void out.push(chunk));
  child.stderr.on('data', (chunk) => void err.push(chunk));
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.write(input);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  const requests = () => server.received.length;
  const waiting = {
    child,
    home: home.folder,
    requests,
    stdout: () => String(Buffer.concat(out)),
    stderr: () => String(Buffer.concat(err)),
  };
  const close = async () => {
    child.kill('SIGKILL');
    child.stdin.destroy();
    undo?.();
    await server.close();
    home.remove();
  };
  return { waiting, ended, close };
};

/** What a command ends with that is given one signal in its wait. */
const afterSignal = async (one: Case, signal: Signal) => {
  const { waiting, ended, close } = await start(one);
  try {
    const early = ended.then((end) => {
      throw new Error(`it did not wait: ${end}\n${waiting.stdout()}\n${waiting.stderr()}`);
    });
    await Promise.race([one.until(waiting), early]);
    early.catch(() => {});
    waiting.child.kill(signal);
    return await promptly(ended);
  } finally {
    await close();
  }
};

describe.skipIf(process.platform !== 'linux')('one signal ends the waiting for', () => {
  it.each(CASES)('$name: $line', async (one) => {
    for (const signal of SIGNALS) expect(await afterSignal(one, signal)).toBe(signal);
  });
});

describe('one signal does not cut', () => {
  it.each(SIGNALS)('a write on its way: %s', async (signal) => {
    let answer = (): void => {};
    const one = wait('', 'timesheets approve 17 --yes --json', asked, {
      answer: (_request, response) => {
        answer = () => void response.end(JSON.stringify(envelope(null)));
      },
    });
    const { waiting, ended, close } = await start(one);
    await one.until(waiting);
    waiting.child.kill(signal);
    // A terminal that closes may say so twice.
    if (signal === 'SIGHUP') setTimeout(() => waiting.child.kill(signal), 100);
    let over = false;
    void ended.then(() => {
      over = true;
    });
    // Longer than any wait is let go on.
    await pause(3_000);
    expect(over).toBe(false);
    answer();
    expect(await ended).toBe(signal);
    expect(JSON.parse(waiting.stdout())).toMatchObject([{ status: 'done' }]);
    await close();
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(process.platform === 'win32')('a terminal that closes', () => {
  it('ends the command of sandbox exec', async () => {
    const { waiting, ended, close } = await start(
      wait('', "sandbox exec -- sh -c 'echo pid.$$; exec sleep 31'", says('pid.'), { env: NONE }),
    );
    await says('pid.')(waiting);
    waiting.child.kill('SIGHUP');
    await promptly(ended);
    expect(isAlive(Number(/pid\.(\d+)/.exec(waiting.stdout())?.[1]))).toBe(false);
    await close();
  });

  it('leaves no webhook of listen --create', async () => {
    const lines: string[] = [];
    const answer: Answering = (request, response) => {
      lines.push(`${request.method} ${request.url}`);
      const made = { id: 'w9', url: 'https://x.example', events: ['x'], token: 'token-of-a-webhook' };
      const body = request.method === 'POST' ? envelope(made) : onePage([]);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const line = 'webhooks listen --create --event x --url https://x.example --port 0 --yes';
    const one = wait('', line, says('Ctrl-C'), { answer });
    const { waiting, ended, close } = await start(one);
    await one.until(waiting);
    waiting.child.kill('SIGHUP');
    waiting.child.kill('SIGHUP');
    await ended;
    expect(lines.at(-1)).toMatch(/^DELETE .*\/w9/);
    await close();
  });
});

it.skipIf(process.platform === 'win32')('R16 Ctrl-C ends a loop in a shell', async () => {
  const home = cleanHome();
  const server = await startServer(NEVER);
  const env = {
    ...home.env,
    TTCTL_BASE_URL: `http://127.0.0.1:${server.port}/api/v2`,
    TTCTL_TOKEN: 'token-of-the-test',
    TTCTL_WORKSPACE: '7',
  };
  const loop = 'for i in 1 2; do "$@"; echo "ended $?"; done';
  const child = spawn('bash', ['-c', loop, 'bash', process.execPath, BIN, 'members', 'list'], {
    env,
    detached: true,
  });
  const out = child.stdout.toArray();
  const ended = new Promise((resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal)));
  await eventually(() => server.received.length > 0);
  process.kill(-(child.pid as number), 'SIGINT');
  expect([await ended, (await out).join(''), server.received.length]).toEqual(['SIGINT', '', 1]);
  await server.close();
  home.remove();
});
