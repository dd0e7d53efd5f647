// `npm run picture`: docs/inbox.svg, the inbox as the built program draws it in a terminal, on a sandbox of its own
// and on one fixed day. With `--print` the picture goes to stdout, so that a test sees whether the file is stale.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScreen } from './picture/screen.mjs';
import { svgOf } from './picture/svg.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [COLUMNS, ROWS] = [120, 24];
const [PATIENCE_MS, QUIET_MS] = [20_000, 150];

/** Keys, and what the screen shows once they are obeyed. */
const KEYS = [
  ['', 'Inbox: 13 waiting'],
  ['a', '1 to approve'],
  ['a', '2 to approve'],
  ['rWho stands in for you?\r', '1 to reject'],
  // What is known of a week comes from the service.
  ['Gkkkk', 'last decision'],
];

const folder = mkdtempSync(join(tmpdir(), 'ttctl-picture-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'xterm-256color',
  TTCTL_STATE_DIR: join(folder, 'state'),
  TTCTL_CONFIG_DIR: join(folder, 'config'),
  TTCTL_CACHE_DIR: join(folder, 'cache'),
  CLOCK_AHEAD_MS: String(Date.parse('2026-11-20T10:00:00Z') - Date.now()),
  NODE_OPTIONS: `--require "${here('picture/turned-clock.cjs')}"`,
};
const command = `stty cols ${COLUMNS} rows ${ROWS}; '${process.execPath}' '${here('../bin/ttctl.js')}' --profile sandbox inbox`;

const draw = () =>
  new Promise((resolve, reject) => {
    const screen = createScreen(COLUMNS, ROWS);
    const child = spawn('script', ['-qec', command, '/dev/null'], { env });
    const steps = [...KEYS];
    const wait = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the screen never showed "${steps[0]?.[1]}":\n${screen.text().join('\n')}`));
    }, PATIENCE_MS);
    let done;
    const leave = () => {
      clearTimeout(wait);
      done = screen.lines().map((cells) => [...cells]);
      child.once('close', () => resolve(done));
      child.stdin.write('\x03');
    };
    const obeyed = () => {
      steps.shift();
      child.stdin.write(steps[0][0]);
    };
    let quiet;
    const see = (chunk) => {
      if (done !== undefined) return;
      screen.write(chunk);
      clearTimeout(quiet);
      if (!screen.text().join('\n').includes(steps[0][1])) return;
      // The rest of a drawing may be on its way.
      quiet = setTimeout(steps.length > 1 ? obeyed : leave, QUIET_MS);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      try {
        see(chunk);
      } catch (error) {
        reject(error);
      }
    });
    child.once('error', reject);
  });

try {
  const picture = svgOf(
    await draw(),
    'ttctl inbox: thirteen decisions that wait, two approved, one rejected; beside them six weeks of one member',
  );
  if (process.argv.includes('--print')) process.stdout.write(picture);
  else writeFileSync(here('../docs/inbox.svg'), picture);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
