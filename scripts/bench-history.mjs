// `npm run bench:history`: what a long history costs: 100,000 entries of 200 days, single writes and runs, and a plan of
// 5,000 rows. CPU of the whole process and its peak memory, the median of some rounds; to reach: 1 s and 150 MB each.
// Usage: npm run bench:history [-- rounds]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const bin = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 3);
const DAYS = 200;
const SINGLES = 300;
const ROWS_OF_RUN = 100;
const RUNS = 2;
const PLAN_ROWS = 5_000;
const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-history-'));
const state = join(folder, 'state');
const jobs = join(state, 'jobs');
mkdirSync(jobs, { recursive: true, mode: 0o700 });

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TTCTL_STATE_DIR: state,
  TTCTL_PROFILE: 'sandbox',
  TTCTL_RATE_LIMIT: 'off',
};

const toLine = (value) => {
  const json = JSON.stringify(value);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
};
const LETTERS = 'bcdfghjkmnpqrstvwxz';
const lettersOf = (n, count) =>
  Array.from({ length: count }, (_, i) => LETTERS[Math.floor(n / LETTERS.length ** i) % LETTERS.length]).join(
    '',
  );

/** The first line of a run. */
const head = (id, at, rows, command) => ({
  ...{ type: 'job', version: 1, id, started_at: new Date(at).toISOString(), command },
  ...{ verb: ['update', 'updated'], noun: ['member', 'members'], account: 'nora@lindenhof.example' },
  ...{ profile: 'sandbox', origin: 'embedded', workspace_id: 101, flags: [], input: null, rows },
});
const row = (n, member) => ({
  ...{ type: 'row', n, target: String(member), key: String(member), operation: 'members.update' },
  ...{ values: { memberId: String(member), weekly_hours_limit: 32 }, columns: {} },
});
const sheet = (n, id) => ({
  ...{ type: 'row', n, target: id, key: id, operation: 'timesheets.submit' },
  ...{ values: { timesheetId: id }, columns: {} },
});
const sending = (n, at, member) => ({
  ...{ type: 'step', n, state: 'sending', at },
  effect: {
    label: `Member ${member}  member.${member}@lindenhof.example`,
    member: String(member),
    before: { weekly_hours_limit: 40 },
    after: { weekly_hours_limit: 32 },
    old: { weekly_hours_limit: 40 },
  },
});
const ended = (n, at, failed) => ({
  ...{ type: 'step', n, state: failed ? 'failed' : 'done', at },
  ...(failed && {
    message: 'No such member.',
    error: { code: 'refused', exit: 6, message: 'No such member.' },
  }),
});

const memberOf = (n) => 1000 + ((n * 7919) % 5000);
const today = Date.parse(new Date().toISOString().slice(0, 10));
let count = 0;
for (let day = 0; day < DAYS; day += 1) {
  const start = today - (day + 1) * 86_400_000;
  const stampOf = (at) => new Date(at).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const lines = [];
  for (let n = 0; n < SINGLES; n += 1) {
    const at = start + n * 240_000;
    const id = `${stampOf(at)}-${lettersOf(count * 31 + 7, 8)}`;
    const member = memberOf(count);
    const what = n % 5 === 0 ? sheet(0, `sheet-${count}`) : row(0, member);
    const command = `members update ${member} --weekly-hours-limit 32`;
    lines.push(toLine({ run: id, lines: [head(id, at, 1, command), what, sending(0, at, member)] }));
    lines.push(toLine({ run: id, lines: [ended(0, at + 90, n % 100 === 0)] }));
    count += 1;
  }
  writeFileSync(join(jobs, `${stampOf(start).slice(0, 8)}.jsonl`), lines.join(''), { mode: 0o600 });
  for (let run = 0; run < RUNS; run += 1) {
    const at = start + (run + 1) * 7_200_000;
    const id = `${stampOf(at)}-${lettersOf(day * 13 + run, 3)}`;
    const rows = Array.from({ length: ROWS_OF_RUN }, (_, n) => n);
    const text = [
      head(id, at, ROWS_OF_RUN, 'members update --from-file hours.csv --yes'),
      ...rows.map((n) => row(n, memberOf(count + n))),
      ...rows.flatMap((n) => [sending(n, at + n, memberOf(count + n)), ended(n, at + n + 90, n % 50 === 7)]),
    ];
    writeFileSync(join(jobs, `${id}.jsonl`), text.map(toLine).join(''), { mode: 0o600 });
    count += ROWS_OF_RUN;
  }
}

/** A command that has to succeed. @returns stdout */
const ttctl = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { env, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout.toString();
};
ttctl('sandbox', 'reset', '--seed', `big:${PLAN_ROWS}`, '--yes');
const ids = ttctl('members', 'list', '-o', 'ids')
  .trim()
  .split('\n')
  .slice(1, PLAN_ROWS + 1);
const [file, plan] = [join(folder, 'hours.csv'), join(folder, 'plan.ndjson')];
writeFileSync(file, `id,weekly_hours_limit\n${ids.map((id) => `${id},17\n`).join('')}`);
ttctl('members', 'update', '--from-file', file, '--plan', plan);

const peak = join(folder, 'peak');
const hook = join(folder, 'hook.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    require('node:fs').writeFileSync(${JSON.stringify(peak)}, JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024])); });`,
);
const rare = String(memberOf(3));
const ALL = ['--limit', '1000000', '-o', 'ids'];
const CASES = [
  ['--version'],
  ['history', 'list'],
  ['history', 'list', '--member', rare],
  ['history', 'list', '--member', 'nobody@x.example'],
  ['history', 'list', '--status', 'failed'],
  ['history', 'list', '--status', 'unknown'],
  ['history', 'list', '--operation', 'timesheets.submit'],
  ['history', 'list', '--operation', 'timesheets.approve'],
  ['history', 'list', '--target', rare],
  ['history', 'list', '--target', 'nothing'],
  ['jobs', 'list'],
  ['plan', 'show', plan, '-o', 'ndjson'],
  // All that there are, with no target: each is read, and printed.
  ['history', 'list', '--status', 'failed', ...ALL],
  ['history', 'list', '--operation', 'timesheets.submit', ...ALL],
  ['history', 'list', ...ALL],
];

/** CPU in seconds, peak memory in MB. */
const measure = (args) => {
  const { status, stderr } = spawnSync(process.execPath, ['-r', hook, bin, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(readFileSync(peak, 'utf8'));
};
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

console.log(`${count} entries of ${DAYS} days, a plan of ${ids.length} rows; Node ${process.versions.node}`);
for (const args of CASES) {
  const taken = Array.from({ length: rounds }, () => measure(args));
  const [seconds, mb] = [0, 1].map((n) => median(taken.map((one) => one[n])));
  const name = args.map((word) => (word === plan ? 'plan.ndjson' : word)).join(' ');
  console.log(`${name.padEnd(72)}${seconds.toFixed(2).padStart(6)} s${mb.toFixed(0).padStart(6)} MB`);
}
if (process.env.KEEP) console.log(folder);
else rmSync(folder, { recursive: true, force: true });
