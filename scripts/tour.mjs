// `npm start`: the main job on the embedded sandbox, each command and what it prints.
// The sandbox of this tour lives in a folder of its own and is gone afterwards.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ttctl-tour-'));
const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TTCTL_'));
const env = {
  ...Object.fromEntries(kept),
  TTCTL_PROFILE: 'sandbox',
  TTCTL_STATE_DIR: folder,
  TTCTL_CONFIG_DIR: folder,
  TTCTL_CACHE_DIR: folder,
  // The weeks of the practice data are weeks in UTC.
  TZ: 'UTC',
};

const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (coloured ? styleText('bold', text) : text);
const faint = (text) => (coloured ? styleText('dim', text) : text);
const quote = (word) => (/^[\w@.:/=,-]+$/.test(word) ? word : `"${word}"`);

let running;
let stopped = false;

/** Runs a command as it is shown; `into` names the file that takes its output. */
const show = async (about, args, into) => {
  const line = ['ttctl', ...args.map(quote), ...(into === undefined ? [] : ['>', into])].join(' ');
  console.log(`\n${bold(about)}\n${faint('$')} ${line}`);
  const stdout = into === undefined ? 'inherit' : openSync(join(folder, into), 'w');
  running = spawn(process.execPath, [at('bin/ttctl.js'), ...args], {
    env,
    stdio: ['ignore', stdout, 'inherit'],
  });
  const [exit, signal] = await once(running, 'close');
  if (into !== undefined) closeSync(stdout);
  if (exit !== 0 || stopped) throw new Error(`the tour stopped: "${line}" ended with ${exit ?? signal}`);
};

const WAITING = ['inbox', '--no-input', '--columns', 'kind,member,period,hours,warnings'];

const tour = async () => {
  console.log(bold('A tour of ttctl: decide what is waiting in a studio of fourteen people.'));
  console.log('It runs on practice data (TTCTL_PROFILE=sandbox), which is removed at the end.');
  await show('What is waiting for a decision?', WAITING);
  await show('Who worked how much last week?', [
    ...['timesheets', 'list', '--period', 'last-week'],
    ...['--group-by', 'member', '--sum', 'hours'],
  ]);
  await show(
    "Approve last week's timesheets that have no warning. Without --yes you see them and are asked first.",
    ['timesheets', 'approve', '--all', '--period', 'last-week', '--clean', '--yes', '--json'],
    'results.json',
  );
  await show('Reject a leave request. The member will read the reason.', [
    ...['leaves', 'reject', 'lucas@lindenhof.example'],
    ...['--reason', 'Please say what it is for', '--yes', '--columns', 'status,message'],
  ]);
  await show('Did it work?', [
    ...['timesheets', 'list', '--period', 'last-week'],
    ...['--columns', 'member,period,hours,status'],
  ]);
  await show('What is left?', WAITING);
  console.log(`
${bold('Your turn, in this folder:')}
  node bin/ttctl.js --profile sandbox inbox          decide at the keyboard
  node bin/ttctl.js --profile sandbox members list   the people of the studio
  node bin/ttctl.js --help                           all commands
  node bin/ttctl.js auth login --help                use your own workspace
README.md has ten common tasks, and how to install ttctl.`);
};

// Whoever reads only the beginning is no fault. A signal ends the command that runs, and so the tour.
process.stdout.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopped = true;
    running?.kill(signal);
  });
try {
  // npm can be told to run no scripts of its own accord.
  if (!existsSync(at('dist'))) await import('./build.mjs');
  await tour();
} catch (fault) {
  console.error(fault.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
