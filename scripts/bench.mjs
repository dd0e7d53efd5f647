// `npm run bench`: start-up and one request, as ratios of user+system CPU within one run, interleaved.
// The floor is `node -e 0`; peers that are installed (gh, curl) are measured beside it.
// Usage: npm run bench [-- rounds]
// The minute before each batch is a quiet one: the ledger of the rate limits is emptied.
// NODE_EXTRA_CA_CERTS would add 50 ms to every start and flatter every ratio: the measured processes do not see it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const bin = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-'));

// The server answers from a thread of its own, so that it costs none of the measured processes anything.
const server = new Worker(
  `const { createServer } = require('node:http'); const { parentPort } = require('node:worker_threads');
  const rows = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, email: 'p' + i + '@example.com', firstname: 'Ana', lastname: 'Sousa', current_role: 'Regular User', status: 'active', timezone: 'Europe/Lisbon', weekly_hours_limit: 40, created_at: '2026-01-01T00:00:00Z' }));
  const body = JSON.stringify({ success: true, message: 'OK', data: rows, meta: { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z', pagination: { total: 100, per_page: 100, current_page: 1, last_page: 1, from: 1, to: 100 } } });
  const server = createServer((q, r) => r.writeHead(200, { 'content-type': 'application/json' }).end(body));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
  { eval: true },
);
const port = await new Promise((resolve) => server.once('message', resolve));
const url = `http://127.0.0.1:${port}/api/v2`;

const bare = join(folder, 'bare.cjs');
writeFileSync(
  bare,
  `require('node:http').get('${url}/members?workspace_id=7&page=1&per_page=100', { headers: { authorization: 'Bearer x' } }, (r) => {
    const parts = []; r.on('data', (c) => parts.push(c)); r.on('end', () => process.stdout.write(JSON.stringify(JSON.parse(Buffer.concat(parts)).data, null, 2) + '\\n')); });`,
);

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TTCTL_BASE_URL: url,
  TTCTL_TOKEN: 'x',
  TTCTL_WORKSPACE: '7',
};
const node = process.execPath;
const installed = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const BARE = 'bare node:http, the same request';
const LIST = 'ttctl members list -o json';
const EMBEDDED = [node, bin, '--profile', 'sandbox', '-w', '101', 'members', 'list', '-o', 'json'];

const CASES = [
  ['node -e 0', [node, '-e', '0']],
  ['ttctl --version', [node, bin, '--version'], 1.2],
  ['ttctl --help', [node, bin, '--help'], 1.25],
  ['ttctl members list --help', [node, bin, 'members', 'list', '--help'], 1.4],
  ['completion: a word', [node, bin, '__complete', 'bash', 'ttctl members li', 'li', '9', '80'], 1.6],
  [
    "completion: a sandbox's person",
    [node, bin, '__complete', 'zsh', '-p', 'sandbox', 'members', 'get', ''],
    1.6,
  ],
  ['completion: a person of the cache', [node, bin, '__complete', 'fish', 'members', 'get', ''], 1.6],
  [BARE, [node, bare]],
  [LIST, [node, bin, 'members', 'list', '-o', 'json'], 1.9, BARE],
  ['ttctl members list (table)', [node, bin, 'members', 'list'], 1.5, LIST],
  ['embedded sandbox, one read', EMBEDDED, 3],
  ...(installed('gh')
    ? [
        ['gh --version', ['gh', '--version']],
        ['gh --help', ['gh', '--help']],
        ['gh issue list --help', ['gh', 'issue', 'list', '--help']],
      ]
    : []),
  ...(installed('curl') ? [['curl, the same request', ['curl', '-sf', `${url}/members`]]] : []),
];

// What completion reads: the embedded sandbox's file, and the cache that a list of 100 people leaves.
for (const args of [
  ['--profile', 'sandbox', 'members', 'list'],
  ['members', 'list'],
]) {
  spawnSync(node, [bin, ...args], { env, stdio: 'ignore' });
}

/** Runs of a command that are measured together: the clock ticks of the system are 10 ms. */
const BATCH = 8;

/** User and system CPU of the ended children of this process so far, in milliseconds. */
const childrenCpu = () => {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
};

/** CPU of one run of a command in milliseconds, the mean of a batch. */
const cpu = ([file, ...args]) => {
  rmSync(join(folder, '.local', 'state', 'ttctl', 'limits'), { recursive: true, force: true });
  const before = childrenCpu();
  for (let i = 0; i < BATCH; i += 1) {
    const { status, stderr } = spawnSync(file, args, {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
  }
  return (childrenCpu() - before) / BATCH;
};

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const taken = new Map(CASES.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, command] of CASES) taken.get(name).push(cpu(command));
}
await server.terminate();
rmSync(folder, { recursive: true, force: true });

/** Ours and the peer's: to reach 0.7 (faster than a compiled tool). */
const PEERS = [
  ['ttctl --version', 'gh --version'],
  ['ttctl --help', 'gh --help'],
  ['ttctl members list --help', 'gh issue list --help'],
];

const floor = median(taken.get('node -e 0'));
console.log(
  `user+system CPU, median of ${rounds} interleaved batches of ${BATCH}; Node ${process.versions.node}`,
);
console.log(`node -e 0 is ${floor.toFixed(0)} ms\n`);
console.log(`${'what'.padEnd(36)}${'× node -e 0'.padStart(12)}   to reach`);
for (const [name, , reach, base] of CASES) {
  const value = median(taken.get(name));
  const against = base === undefined ? undefined : value / median(taken.get(base));
  const goal =
    reach === undefined ? '' : `≤ ${reach}${base === undefined ? '' : ` × ${base}: ${against.toFixed(2)}`}`;
  console.log(`${name.padEnd(36)}${(value / floor).toFixed(2).padStart(12)}   ${goal}`);
}

for (const [ours, peer] of PEERS) {
  if (!taken.has(peer)) continue;
  const ratio = median(taken.get(ours)) / median(taken.get(peer));
  console.log(`${`${ours} / ${peer}`.padEnd(50)}${ratio.toFixed(2)}   ≤ 0.7`);
}
