// What a bulk update costs on the embedded sandbox, the client's work included: `npm run bench:sandbox [-- rows]`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const rows = Number(process.argv[2] ?? 5000);
const MOST_MS = 5;

const folder = mkdtempSync(join(tmpdir(), 'ttctl-bench-'));
const [meter, spent] = [join(folder, 'meter.cjs'), join(folder, 'spent')];
writeFileSync(
  meter,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(spent)}, JSON.stringify(process.cpuUsage())));`,
);
const env = {
  PATH: process.env.PATH,
  NODE_OPTIONS: `--require ${meter}`,
  TTCTL_STATE_DIR: join(folder, 'state'),
  TTCTL_CONFIG_DIR: join(folder, 'config'),
  TTCTL_PROFILE: 'sandbox',
};

const run = (...args) => {
  const began = performance.now();
  const options = { env, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], options);
  if (status !== 0) throw new Error(`ttctl ${args.join(' ')}: ${stderr}`);
  const { user, system } = JSON.parse(readFileSync(spent, 'utf8'));
  return { stdout, wall: performance.now() - began, cpu: (user + system) / 1000 };
};

try {
  run('sandbox', 'reset', '--seed', `big:${rows}`);
  const ids = run('members', 'list', '-o', 'ids').stdout.trim().split('\n');
  const file = join(folder, 'members.csv');
  writeFileSync(file, `member,weekly_hours_limit\n${ids.map((id) => `${id},31\n`).join('')}`);
  const { wall, cpu } = run('members', 'update', '--from-file', file, '--yes', '--quiet', '-o', 'ids');
  const each = (ms) => `${(ms / ids.length).toFixed(2)} ms`;
  console.log(`${ids.length} rows: ${each(cpu)} of CPU a row (at most ${MOST_MS} ms), ${each(wall)} in all`);
  if (cpu / ids.length > MOST_MS) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
