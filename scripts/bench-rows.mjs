// `npm run bench:rows`: a long list against curl and a bare node:http loop, all of the same pages, interleaved in one
// run. Wall time as a ratio to a script that runs curl for one page after another, peak memory as a ratio to the bare
// loop.
// Usage: npm run bench:rows [-- rows rounds]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const bin = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const rows = Number(process.argv[2] ?? 50_000);
const rounds = Number(process.argv[3] ?? 5);
const pages = Math.ceil(rows / 100);
const folder = mkdtempSync(join(tmpdir(), 'ttctl-rows-'));

const server = new Worker(
  `const { createServer } = require('node:http'); const { parentPort, workerData: { rows, pages } } = require('node:worker_threads');
  const body = (page) => JSON.stringify({ success: true, message: 'OK',
    data: Array.from({ length: Math.min(100, rows - (page - 1) * 100) }, (_, i) => ({ id: (page - 1) * 100 + i + 1, email: 'p' + i + '@example.com', firstname: 'Ana', lastname: 'Sousa', current_role: 'Regular User', status: 'active', timezone: 'Europe/Lisbon', weekly_hours_limit: 40, created_at: '2026-01-01T00:00:00Z' })),
    meta: { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z', pagination: { total: rows, per_page: 100, current_page: page, last_page: pages, from: (page - 1) * 100 + 1, to: Math.min(rows, page * 100) } } });
  const bodies = Array.from({ length: pages }, (_, i) => Buffer.from(body(i + 1)));
  createServer((q, r) => { const b = bodies[Number(new URL(q.url, 'http://x').searchParams.get('page') ?? 1) - 1]; r.writeHead(200, { 'content-type': 'application/json', 'content-length': b.length }).end(b); })
    .listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`,
  { eval: true, workerData: { rows, pages } },
);
const port = await new Promise((resolve) => server.once('message', resolve));
const url = `http://127.0.0.1:${port}/api/v2`;

const peak = join(folder, 'peak');
const hook = join(folder, 'hook.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
);
const bare = join(folder, 'bare.cjs');
writeFileSync(
  bare,
  `const http = require('node:http'); const agent = new http.Agent({ keepAlive: true });
  const page = (n) => new Promise((done, fail) => http.get('${url}/members?workspace_id=7&per_page=100&page=' + n, { agent }, (r) => {
    const parts = []; r.on('data', (c) => parts.push(c)); r.on('end', () => done(JSON.parse(Buffer.concat(parts)).data)); }).on('error', fail));
  (async () => { for (let n = 1; n <= ${pages}; n += 1) { const text = (await page(n)).map((row) => JSON.stringify(row)).join('\\n') + '\\n';
    if (!process.stdout.write(text)) await new Promise((r) => process.stdout.once('drain', r)); } agent.destroy(); })();`,
);
const loopScript = join(folder, 'pages.sh');
writeFileSync(
  loopScript,
  `n=1; while [ $n -le ${pages} ]; do curl -sf "${url}/members?workspace_id=7&page=$n&per_page=100" || exit 1; n=$((n + 1)); done`,
);

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TTCTL_BASE_URL: url,
  TTCTL_TOKEN: 'x',
  TTCTL_WORKSPACE: '7',
  TTCTL_RATE_LIMIT: 'off',
};
const node = process.execPath;
const CASES = [
  ['curl for one page after another', ['sh', loopScript]],
  ['bare node:http loop', [node, '-r', hook, bare]],
  ['ttctl members list -o ndjson', [node, '-r', hook, bin, 'members', 'list', '-o', 'ndjson']],
];

/** Wall time in milliseconds, peak memory in MB. */
const once = ([file, ...args]) => {
  rmSync(peak, { force: true });
  const before = performance.now();
  const { status, stderr, stdout } = spawnSync(file, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 30,
  });
  const ms = performance.now() - before;
  if (status !== 0) throw new Error(`${file}: ${stderr}`);
  if (args.includes('ndjson') && stdout.toString().split('\n').length !== rows + 1)
    throw new Error('rows are missing');
  return { ms, mb: file === node ? Number(readFileSync(peak, 'utf8')) / 1024 : undefined };
};
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const taken = new Map(CASES.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1)
  for (const [name, command] of CASES) taken.get(name).push(once(command));
await server.terminate();
rmSync(folder, { recursive: true, force: true });

const msOf = (name) => median(taken.get(name).map(({ ms }) => ms));
const mbOf = (name) => median(taken.get(name).map(({ mb }) => mb ?? 0));
const [[curl], [loop], [ours]] = CASES;
console.log(
  `${rows} rows in ${pages} pages, median of ${rounds} interleaved rounds; Node ${process.versions.node}`,
);
for (const [name] of CASES)
  console.log(
    `${name.padEnd(32)}${msOf(name).toFixed(0).padStart(7)} ms${mbOf(name) ? `${mbOf(name).toFixed(0).padStart(6)} MB` : ''}`,
  );
console.log(`time / curl: ${(msOf(ours) / msOf(curl)).toFixed(2)} (to reach 1.0)`);
console.log(`memory / bare loop: ${(mbOf(ours) / mbOf(loop)).toFixed(2)} (to reach 1.6)`);
