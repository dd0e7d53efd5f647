// `npm run bench:sandbox`: what the sandbox costs, as ratios within one run. Usage: npm run bench:sandbox [-- rounds]
// NODE_EXTRA_CA_CERTS would add 50 ms to every start: the measured processes do not see it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = at('../bin/ttctl.js');
const node = process.execPath;
const rounds = Number(process.argv[2] ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-sandbox-'));
const env = { PATH: process.env.PATH, HOME: folder };

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** CPU that a process has used so far, in milliseconds (the system counts by 10). */
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

/** Starts a server and waits for its first line, which is JSON. */
const startServer = async (args) => {
  const began = performance.now();
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => createInterface({ input: child.stdout }).once('line', done));
  const ready = performance.now() - began;
  const ended = new Promise((done) => child.once('exit', done));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ...JSON.parse(line), pid: child.pid, ready, stop };
};

let states = 0;
/** A sandbox with a state directory of its own. */
const startSandbox = (...flags) => {
  states += 1;
  env.TTCTL_STATE_DIR = join(folder, `state-${states}`);
  return startServer([bin, 'sandbox', 'start', '--port', '0', '--json', ...flags]);
};

const timed = (args) => {
  const began = performance.now();
  const { status, stderr } = spawnSync(node, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return performance.now() - began;
};

const row = (what, value, goal = '') => console.log(`${what.padEnd(52)}${value.padStart(12)}   ${goal}`);
const ms = (value) => `${value.toFixed(0)} ms`;

/** From nothing to the ready line, beside a bare start of Node. */
const measureStarts = async () => {
  const [bare, demo, members, many, first, second] = [[], [], [], [], [], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(timed(['-e', '0']));
    for (const [taken, ...flags] of [[demo], [members, '--seed', 'big'], [many, '--seed', 'big:50000']]) {
      const server = await startSandbox(...flags);
      taken.push(server.ready);
      await server.stop();
    }
    env.TTCTL_STATE_DIR = join(folder, `embedded-${round}`);
    const read = [bin, '--profile', 'sandbox', 'members', 'list', '-o', 'ids'];
    first.push(timed(read));
    second.push(timed(read));
  }
  const floor = median(bare);
  const most = 2 * floor + 250;
  row('node -e 0', ms(floor));
  row('sandbox start, to the ready line', ms(median(demo)), `≤ 2 × node -e 0 + 250 ms: ${ms(most)}`);
  const grown = (taken) => median(taken) - median(demo);
  row('  5,000 members more (--seed big)', `+ ${ms(grown(members))}`, '≤ 1,000 ms');
  row('  50,000 members more (--seed big:50000)', `+ ${ms(grown(many))}`);
  row(
    '--profile sandbox, first use (seeds the state)',
    ms(median(first)),
    `${(median(first) / floor).toFixed(1)} × node -e 0`,
  );
  row('--profile sandbox, later', ms(median(second)), `${(median(second) / floor).toFixed(1)} × node -e 0`);
};

const load = (port, text, count) =>
  new Promise((resolve, reject) => {
    const workerData = { port, text, count, connections: 8 };
    const worker = new Worker(at('bench-sandbox-load.mjs'), { workerData });
    worker.once('message', ({ ms: took, refused }) =>
      refused === undefined ? resolve(took) : reject(new Error(refused)),
    );
    worker.once('error', reject);
  });

/** Requests a second, and the server's own CPU for one, in microseconds. */
const pressed = async (server, text, count) => {
  const before = cpuOf(server.pid);
  const took = await load(server.port, text, count);
  return { rate: (count / took) * 1000, cost: ((cpuOf(server.pid) - before) * 1000) / count };
};

const requestText = (token, method, path, body) => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${text.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${length}\r\n${text}`;
};

const COUNT = 6000;

/** The sandbox and a bare hono server that answers the same value, turn by turn. */
const measureRequest = async (sandbox, what, text, answer) => {
  const file = join(folder, 'answer.json');
  writeFileSync(file, JSON.stringify(answer));
  const hono = await startServer([at('bench-sandbox-hono.mjs'), file]);
  const [ours, theirs] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const [mine, other] = [await pressed(sandbox, text, COUNT), await pressed(hono, text, COUNT)];
    // The first round warms both up.
    if (round > 0) {
      ours.push(mine);
      theirs.push(other);
    }
  }
  await hono.stop();
  const of = (taken, key) => median(taken.map((one) => one[key]));
  const beside = (key) => (of(ours, key) / of(theirs, key)).toFixed(2);
  const [rate, theirRate] = [of(ours, 'rate'), of(theirs, 'rate')].map((value) => value.toFixed(0));
  const [cost, theirCost] = [of(ours, 'cost'), of(theirs, 'cost')].map((value) => value.toFixed(0));
  row(what, `${rate}/s`, `${beside('rate')} × bare hono (${theirRate}/s)`);
  row('  CPU of the server for one', `${cost} µs`, `${beside('cost')} × bare hono (${theirCost} µs)`);
};

const measureRequests = async () => {
  const sandbox = await startSandbox('--no-limits');
  const exports = spawnSync(node, [bin, 'sandbox', 'env', '-o', 'json'], { env, encoding: 'utf8' });
  const { TTCTL_TOKEN: token, TTCTL_WORKSPACE: space, TTCTL_BASE_URL: base } = JSON.parse(exports.stdout);
  const headers = { authorization: `Bearer ${token}` };
  const members = await (await fetch(`${base}/members?workspace_id=${space}`, { headers })).json();
  const [{ id }] = members.data.filter((member) => member.current_role === 'Regular User');
  const one = await (await fetch(`${base}/members/${id}?workspace_id=${space}`, { headers })).json();
  const write = { workspace_id: Number(space), weekly_hours_limit: 30 };
  const done = { success: true, message: 'The member has been updated.', data: null, meta: members.meta };
  const cases = [
    ['GET /members (12 rows)', 'GET', `/api/v2/members?workspace_id=${space}`, undefined, members],
    ['GET /members/{id}', 'GET', `/api/v2/members/${id}?workspace_id=${space}`, undefined, one],
    ['PUT /members/{id}', 'PUT', `/api/v2/members/${id}`, write, done],
  ];
  for (const [what, method, path, body, answer] of cases) {
    await measureRequest(sandbox, what, requestText(token, method, path, body), answer);
  }
  await sandbox.stop();
};

console.log(`median of ${rounds} interleaved rounds; Node ${process.versions.node}\n`);
try {
  await measureStarts();
  console.log('\nrequests on loopback, 8 connections, limits off; to reach: 1,000/s\n');
  await measureRequests();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
