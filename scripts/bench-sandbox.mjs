// `npm run bench:sandbox`: what the sandbox costs, as ratios within one run. Usage: npm run bench:sandbox [-- rounds]
// NODE_EXTRA_CA_CERTS would add 50 ms to every start: the measured processes do not see it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = at('../bin/ttctl.js');
const node = process.execPath;
const rounds = Number(process.argv[2] ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-sandbox-'));
const env = { PATH: process.env.PATH, HOME: folder };

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** CPU of the ended children of this process so far, in milliseconds (the system counts by 10). */
const childrenCpu = () => {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
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
  return { ...JSON.parse(line), ready, stop };
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

const ROWS = 500;

/** A bulk update on the embedded sandbox, whose state is on the disk. */
const measureBulk = () => {
  env.TTCTL_STATE_DIR = join(folder, 'bulk');
  const args = (line) => [bin, '--profile', 'sandbox', ...line.split(' ')];
  timed(args('sandbox reset --seed big --yes'));
  const { stdout } = spawnSync(node, args(`members list --limit ${ROWS} -o ids`), { env, encoding: 'utf8' });
  const ids = stdout.trim().split('\n');
  const file = join(folder, 'rows.csv');
  writeFileSync(file, `id,weekly_hours_limit\n${ids.map((id) => `${id},21\n`).join('')}`);
  const before = childrenCpu();
  timed(args(`members update --from-file ${file} --yes --quiet`));
  const each = (childrenCpu() - before) / ids.length;
  row(`bulk update of ${ids.length} rows, CPU of a row`, `${each.toFixed(1)} ms`, '≤ 5 ms');
};

console.log(`median of ${rounds} interleaved rounds; Node ${process.versions.node}\n`);
try {
  await measureStarts();
  measureBulk();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
