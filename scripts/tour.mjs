// `npm start`: the main job on the embedded sandbox, each command and what it prints.
// The sandbox of this tour lives in a folder of its own and is gone afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));
const state = mkdtempSync(join(tmpdir(), 'ttctl-tour-'));
const env = { ...process.env, TTCTL_STATE_DIR: state, TTCTL_CONFIG_DIR: state, TTCTL_PROFILE: 'sandbox' };
for (const name of ['TTCTL_TOKEN', 'TTCTL_WORKSPACE', 'TTCTL_BASE_URL', 'TTCTL_OUTPUT', 'TTCTL_DEBUG'])
  delete env[name];

const quote = (word) => (/^[\w@.:/=,-]+$/.test(word) ? word : `'${word}'`);

const run = (args, stdio) => {
  const result = spawnSync(process.execPath, [bin, ...args], { env, encoding: 'utf8', stdio });
  if (result.status !== 0) {
    process.stderr.write(result.stderr ?? '');
    throw new Error(`ttctl ${args.join(' ')} ended with ${result.status ?? result.signal}`);
  }
  return result.stdout;
};

const show = (about, ...args) => {
  console.log(`\n# ${about}\n$ ttctl --profile sandbox ${args.map(quote).join(' ')}`);
  run(args, 'inherit');
};

try {
  const waiting = run(['timesheets', 'list', '--status', 'submitted', '-o', 'ids'], 'pipe')
    .trim()
    .split('\n');
  const [first, second, third] = waiting;
  show('Which timesheets wait?', 'timesheets', 'list', '--status', 'submitted');
  show('What would be sent?', 'timesheets', 'approve', first, '--dry-run');
  show('Approve two of them.', 'timesheets', 'approve', first, second, '--yes');
  show('Reject one, and say why.', 'timesheets', 'reject', third, '--reason', 'Friday is missing', '--yes');
  show('What became of it?', 'timesheets', 'list', '--id', third);
  show(
    'The rest, as a script would read it.',
    'timesheets',
    'list',
    '--status',
    'submitted',
    '--query',
    '[].{id: id, hours: total_hours}',
  );
  console.log('\nThe same commands work on your own workspace: ttctl auth login --help');
} finally {
  rmSync(state, { recursive: true, force: true });
}
