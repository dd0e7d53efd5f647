// `npm run bench:history`: CPU seconds of the built program over 100,000 writes, 90 runs of 1,000 and 10,000 single ones.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const BIN = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const DIGITS = 'bcdfghjkmnpqrstv';
const home = mkdtempSync(join(tmpdir(), 'ttctl-bench-history-'));

const HEAD = {
  ...{ ttctl_plan: 1, timezone: 'UTC', ttctl: '1', base_url: 'embedded', workspace_id: 101, account: null },
  command: 'members update --from-file members.csv --yes',
  run: { profile: 'sandbox', flags: [], verb: ['update', 'updated'], noun: ['member', 'members'] },
};
const [before, after] = [{ weekly_hours_limit: 40 }, { weekly_hours_limit: 32 }];
const request = { method: 'PUT', query: { workspace_id: '101' }, body: { workspace_id: 101, ...after } };

const seal = (step) => {
  const json = JSON.stringify(step);
  return `${json.slice(0, -1)},"sum":"${crc32(json).toString(16).padStart(8, '0')}"}\n`;
};

/** The file of a run as docs/changes.md has it. */
const writeRun = (minute, name, rows) => {
  const time = new Date(Date.parse('2026-08-24T08:00:00Z') + Math.floor(minute) * 60_000).toISOString();
  const letters = [...name].map((digit) => DIGITS[Number.parseInt(digit, 16)]).join('');
  const id = `${time.replace(/[-:]/g, '').replace('T', '-').slice(0, 13)}-${letters}`;
  let [writes, steps] = ['', ''];
  for (let n = 1; n <= rows; n += 1) {
    const write = { n, operation: 'members.update', target: `${n}`, label: null, before: null, after: null };
    writes += `${JSON.stringify({ ...write, seen: null, request: { ...request, path: `/members/${n}` } })}\n`;
    const member = { id: `${n}`, email: `person.${n}@lindenhof.example` };
    const known = { label: `Person ${n}  ${member.email}`, member, before, after, old: before };
    steps += seal({ n, step: 'sending', time, ...known }) + seal({ n, step: 'done', time });
  }
  const head = JSON.stringify({ ...HEAD, id, created_at: time, rows });
  const sum = createHash('sha256').update(`${head}\n${writes}`).digest('hex');
  const month = join(home, 'runs', time.slice(0, 7));
  mkdirSync(month, { recursive: true, mode: 0o700 });
  const text = `${head.slice(0, -1)},"sha256":"${sum}"}\n${writes}${steps}`;
  writeFileSync(join(month, `${id}.jsonl`), text, { mode: 0o600 });
};

for (let n = 0; n < 90; n += 1) writeRun(n * 1_440, n.toString(16).padStart(3, '0'), 1_000);
for (let n = 0; n < 10_000; n += 1) writeRun(n * 12.9 + 1, n.toString(16).padStart(8, '0'), 1);
const [hook, result] = [join(home, 'cpu.cjs'), join(home, 'cpu.json')];
const save = `require('fs').writeFileSync(${JSON.stringify(result)}, JSON.stringify(process.cpuUsage()))`;
writeFileSync(hook, `process.on('exit', () => ${save})`);
const env = { ...process.env, TTCTL_STATE_DIR: home, TTCTL_CONFIG_DIR: home };
for (const line of ['history list --limit 50', 'history list --limit 200000 -o ndjson', 'jobs list']) {
  spawnSync(process.execPath, ['--require', hook, BIN, ...line.split(' ')], { env, maxBuffer: 2 ** 30 });
  const { user, system } = JSON.parse(readFileSync(result, 'utf8'));
  process.stdout.write(`${((user + system) / 1e6).toFixed(2)} s  ${line}\n`);
}
rmSync(home, { recursive: true });
