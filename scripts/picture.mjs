// `npm run picture`: docs/inbox.svg and docs/status.svg, what the built program draws in a terminal, each on a sandbox
// of its own and on one fixed day. `--print <name>` writes one to stdout, so that a test sees whether its file is stale.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScreen } from './picture/screen.mjs';
import { svgOf } from './picture/svg.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [PATIENCE_MS, QUIET_MS] = [20_000, 150];

const PICTURES = {
  inbox: {
    title:
      'ttctl inbox: thirteen decisions that wait, two approved, one rejected; beside them six weeks of one member',
    size: [120, 24],
    before: [],
    at: '2026-11-20T10:00:00Z',
    line: ['inbox'],
    /** Keys, and what the screen shows once they are obeyed. */
    keys: [
      ['', 'Inbox: 13 waiting'],
      ['a', '1 to approve'],
      ['a', '2 to approve'],
      ['rWho stands in for you?\r', '1 to reject'],
      // What is known of a week comes from the service.
      ['Gkkkk', 'last decision'],
    ],
  },
  status: {
    title:
      'ttctl status: what waits, two who have not submitted, one who is away, each with the command behind it',
    size: [80, 16],
    before: [
      ['2026-11-20T10:00:00Z', 'leaves approve lucas@lindenhof.example'],
      ['2026-11-20T10:01:00Z', 'timesheets approve --all --period last-week --clean'],
      [
        '2026-11-26T10:00:00Z',
        'timesheets submit --all --period last-week --except mei@lindenhof.example --except lucas@lindenhof.example',
      ],
    ],
    at: '2026-11-27T10:00:00Z',
    line: ['status', '--quiet'],
    keys: [['', 'ttctl auth status']],
  },
};

const ttctl = here('../bin/ttctl.js');

const envOf = (folder, at) => ({
  PATH: process.env.PATH,
  HOME: folder,
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'xterm-256color',
  // In a command line that is shown it would be repeated.
  TTCTL_PROFILE: 'sandbox',
  TTCTL_STATE_DIR: join(folder, 'state'),
  TTCTL_CONFIG_DIR: join(folder, 'config'),
  TTCTL_CACHE_DIR: join(folder, 'cache'),
  CLOCK_AHEAD_MS: String(Date.parse(at) - Date.now()),
  NODE_OPTIONS: `--require "${here('picture/turned-clock.cjs')}"`,
});

/** The cells of the screen once all keys are obeyed. */
const draw = ({ size: [columns, rows], line, keys }, env) =>
  new Promise((resolve, reject) => {
    const screen = createScreen(columns, rows);
    const words = [process.execPath, ttctl, ...line].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', `stty cols ${columns} rows ${rows}; ${words}`, '/dev/null'], {
      env,
    });
    const steps = [...keys];
    const wait = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the screen never showed "${steps[0]?.[1]}":\n${screen.text().join('\n')}`));
    }, PATIENCE_MS);
    let done;
    let quiet;
    const isObeyed = () => screen.text().join('\n').includes(steps[0][1]);
    const finish = () => {
      clearTimeout(wait);
      done = screen.lines().map((cells) => [...cells]);
    };
    const leave = () => {
      finish();
      child.stdin.write('\x03');
    };
    child.once('close', () => {
      clearTimeout(quiet);
      // A command that is no screen ends by itself, when all is written.
      if (done === undefined && steps.length === 1 && isObeyed()) finish();
      if (done !== undefined) resolve(done);
    });
    const obeyed = () => {
      steps.shift();
      child.stdin.write(steps[0][0]);
    };
    const see = (chunk) => {
      if (done !== undefined) return;
      screen.write(chunk);
      clearTimeout(quiet);
      if (!isObeyed()) return;
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
    child.stdin.on('error', () => {});
  });

/** What ends may still write there (its draft). */
const removeFolder = async (folder, tries = 40) => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await removeFolder(folder, tries - 1);
  }
};

const makePicture = async (picture) => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-picture-'));
  try {
    for (const [at, line] of picture.before) {
      const args = [ttctl, ...line.split(' '), '--yes', '--quiet'];
      execFileSync(process.execPath, args, {
        env: envOf(folder, at),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    }
    return svgOf(await draw(picture, envOf(folder, picture.at)), picture.title);
  } finally {
    await removeFolder(folder);
  }
};

const [flag, name] = process.argv.slice(2);
if (flag === '--print') process.stdout.write(await makePicture(PICTURES[name]));
else
  for (const [name, picture] of Object.entries(PICTURES))
    writeFileSync(here(`../docs/${name}.svg`), await makePicture(picture));
