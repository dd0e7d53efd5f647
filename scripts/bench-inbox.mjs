// `npm run bench:inbox`: the review screen of the built program with 2,000 timesheets that wait, in a terminal of 120
// columns with the evidence beside the list. To reach: drawn with 100 ms of CPU after its lists are there, 16 ms for a key.
// Usage: npm run bench:inbox [-- items]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const ITEMS = Number(process.argv[2] ?? 2_000);
const MEMBERS = 200;
const KEYS = 200;
const PER_PAGE = 100;
const TICK_MS = 10;

const members = Array.from({ length: MEMBERS }, (_, i) => ({
  ...{ id: i + 1, firstname: 'Member', lastname: `No ${i}`, email: `m${i}@example.com`, status: 'active' },
  ...{ current_role: 'Regular User', weekly_hours_limit: 40 },
}));
const WEEK_MS = 7 * 86_400_000;
const toDay = (ms) => new Date(ms).toISOString().slice(0, 10);
/** One of each member a week. */
const timesheets = Array.from({ length: ITEMS }, (_, i) => {
  const monday = Date.parse('2026-11-09') - Math.floor(i / MEMBERS) * WEEK_MS;
  return {
    ...{ id: `sheet-${i}`, user_id: (i % MEMBERS) + 1, total_hours: 30 + (i % 20), status: 'submitted' },
    ...{ date_from: toDay(monday), date_to: toDay(monday + WEEK_MS - 86_400_000) },
    submitted_on: `${toDay(monday + WEEK_MS)}T08:00:00Z`,
  };
});
const LISTS = { members, timesheets };

/** CPU of the program when the last answer went out that the screen waits for. */
let atAnswer = 0;
let requests = 0;
/** Requests of the inbox as a list; what comes after them is evidence. */
let needed = 0;
let pid;
/** Of user and system, in milliseconds. */
const readCpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const all = LISTS[url.pathname.split('/').at(-1)] ?? [];
  const page = Number(url.searchParams.get('page') ?? 1);
  const data = all.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const last = Math.max(1, Math.ceil(all.length / PER_PAGE));
  const pagination = { total: all.length, per_page: PER_PAGE, current_page: page, last_page: last };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ success: true, message: '', data, meta: { pagination }, pagination }));
  requests += 1;
  if (requests === needed) atAnswer = readCpu(pid);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-inbox-'));
const env = {
  ...{ PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', LANG: 'C.UTF-8', TERM: 'xterm-256color' },
  TTCTL_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  ...{ TTCTL_TOKEN: 'bench', TTCTL_WORKSPACE: '7', TTCTL_RATE_LIMIT: 'off' },
};
const command = `stty cols 120 rows 34; echo pid $$.; exec '${process.execPath}' '${bin}' inbox`;

/** One sitting at the screen. */
const sit = async () => {
  let screen = '';
  let seen = () => {};
  requests = 0;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env });
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    screen += chunk;
    seen();
  });
  const until = (pattern) =>
    new Promise((resolve) => {
      seen = () => {
        if (pattern.test(screen)) resolve(pattern.exec(screen));
      };
      seen();
    });
  [, pid] = await until(/pid (\d+)\./);
  await until(new RegExp(`Inbox: ${ITEMS} waiting`));
  const paint = readCpu(pid) - atAnswer;
  await until(/over the weekly|contracts|last decision/i);
  const before = readCpu(pid);
  for (let key = 0; key < KEYS; key += 1) {
    screen = '';
    child.stdin.write('j');
    await until(/\[\d*m|of \d/);
  }
  const perKey = (readCpu(pid) - before) / KEYS;
  child.stdin.write('q');
  await new Promise((resolve) => child.once('close', resolve));
  return { paint, perKey };
};

const list = spawn(process.execPath, [bin, 'inbox', '--output', 'ids'], { env, stdio: 'ignore' });
await new Promise((resolve) => list.once('close', resolve));
needed = requests;
// The first sitting reads the files of the program from the disk.
await sit();
const { paint, perKey } = await sit();
server.close();
rmSync(folder, { recursive: true, force: true });

const line = (what, ms, most) =>
  console.log(`${what.padEnd(58)} ${ms.toFixed(1).padStart(7)} ms (at most ${most} ms)`);
line(`${ITEMS} items, from the last list to the first picture, CPU`, paint, 100);
line(`a key, CPU of the program, mean of ${KEYS}`, perKey, 16);
