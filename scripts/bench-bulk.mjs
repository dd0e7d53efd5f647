// Times a bulk run against what the limits allow: `npm run bench:bulk` (a tenth of the times), `-- --full` (minutes).
// The server counts by sliding windows, takes its time to answer, and refuses what is too much with 429.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const full = process.argv.includes('--full');
/** Seconds here for each second of the service. */
const scale = full ? 1 : 0.1;
// Long enough that the burst at its end, in which every answer is waited for, weighs little.
const ROWS = 580;
const [REQUESTS, MINUTE, WRITES, SECOND] = [150, 60 * scale, 20, 1 * scale];
const ANSWER_MS = 800 * scale;
const MOST = 1.05;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const startService = async () => {
  const [all, writes, refused] = [[], [], []];
  const within = (times, seconds, now) => times.filter((at) => now - at < seconds * 1000).length;
  const seen = { all, refused, first: undefined, last: 0 };
  const server = createServer(async (request, response) => {
    request.resume();
    const now = performance.now();
    seen.first ??= now;
    const tooMany = within(all, MINUTE, now) >= REQUESTS;
    const tooFast = request.method !== 'GET' && within(writes, SECOND, now) >= WRITES;
    if (tooMany || tooFast) {
      refused.push(now);
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': tooMany ? '60' : '1' });
      return response.end('{"success":false,"message":"Too Many Attempts.","meta":{}}');
    }
    all.push(now);
    if (request.method !== 'GET') writes.push(now);
    await pause(ANSWER_MS);
    seen.last = performance.now();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"success":true,"message":"OK","data":null,"meta":{}}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, server, port: server.address().port };
};

/** The shortest time from the first request to the last answer. */
const least = () => {
  const last = ROWS - 1;
  const windows = Math.floor(last / REQUESTS);
  return windows * MINUTE + Math.floor((last % REQUESTS) / WRITES) * SECOND + ANSWER_MS / 1000;
};

const home = mkdtempSync(join(tmpdir(), 'ttctl-bench-'));
const { seen, server, port } = await startService();
const run = (rows, rate) => {
  const child = spawn(
    process.execPath,
    [BIN, 'timesheets', 'approve', '-', '--yes', '--quiet', '-o', 'ids'],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TTCTL_BASE_URL: `http://127.0.0.1:${port}/api/v2`,
        TTCTL_TOKEN: `token-of-the-bench-${rate}`,
        TTCTL_WORKSPACE: '7',
        TTCTL_RATE_LIMIT: rate,
      },
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  child.stdin.end(Array.from({ length: rows }, (_, n) => `t${n}`).join('\n'));
  return new Promise((resolve) => child.once('close', resolve));
};

try {
  const exit = await run(ROWS, `${REQUESTS}/${MINUTE},${WRITES}/${SECOND}`);
  const time = (seen.last - seen.first) / 1000;
  const ratio = time / least();
  console.log(
    `${ROWS} writes, ${ANSWER_MS} ms each, limits ${REQUESTS}/${MINUTE} s and ${WRITES}/${SECOND} s`,
  );
  console.log(`took ${time.toFixed(2)} s; the limits allow ${least().toFixed(2)} s`);
  console.log(`ratio ${ratio.toFixed(3)} (at most ${MOST}), 429: ${seen.refused.length}, exit ${exit}`);
  const good = exit === 0 && ratio <= MOST && seen.refused.length === 0 && seen.all.length === ROWS;
  process.exitCode = good ? 0 : 1;
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
