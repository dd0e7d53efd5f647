import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './support/documents.ts';
import { makeFolder } from './support/folder.ts';
import { cleanHome, type Finished, finished, type Home } from './support/process.ts';
import { openScript } from './support/terminal.ts';

/** The first minute in a clone: before it is built, the tour, and the packed file. */

const run = promisify(execFile);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/;
const MADE = /^(node_modules|\.git|coverage|dist(-\d+)?)$/;

let place: string;
let clone: string;
let home: Home;

beforeAll(() => {
  place = makeFolder();
  clone = join(place, 'clone');
  home = cleanHome({
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  });
  mkdirSync(clone);
  for (const name of readdirSync(ROOT).filter((name) => !MADE.test(name)))
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
});
afterAll(() => home.remove());

const here = (command: string, ...args: string[]): Promise<Finished> =>
  finished(spawn(command, args, { cwd: clone, env: home.env }));

it('a clone that is not built says in one line what to do, and nothing to a shell that asks for completions', async () => {
  for (const args of [[], ['members', 'list', '--json'], ['--version']]) {
    const stderr = `error: ttctl is not built yet. Run "npm ci" in ${clone}\n`;
    expect(await here('node', 'bin/ttctl.js', ...args)).toEqual({ stdout: '', stderr, exit: 1 });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'), 'junction');
  expect((await here('node', 'bin/ttctl.js')).stderr).toContain('Run "npm run build" in ');
  const asked = await here('node', 'bin/ttctl.js', '__complete', 'bash', 'ttctl ');
  expect(asked).toEqual({ stdout: '', stderr: '', exit: 1 });
});

describe('npm start', () => {
  const PEOPLE = /^leave +Aoife Byrne .*\n(.*\n)*timesheet +Tomasz Zieliński /m;

  it('needs no build, no terminal and no end of stdin, and leaves nothing behind', async () => {
    const folder = join(place, 'temporary');
    mkdirSync(folder);
    const child = spawn('node', ['scripts/tour.mjs'], {
      cwd: clone,
      env: { ...home.env, TMPDIR: folder, TTCTL_TOKEN: 'x', TTCTL_OUTPUT: 'json' },
    });
    const streams = [child.stdout, child.stderr].map((stream) => stream.toArray());
    expect(await once(child, 'close')).toEqual([0, null]);
    const [stdout, stderr] = (await Promise.all(streams)).map((chunks) => Buffer.concat(chunks).toString());
    expect(stdout).toMatch(PEOPLE);
    expect(stdout).not.toMatch(UUID);
    expect(stderr).not.toMatch(/error|warn/i);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names people at a terminal, and ends with commands that work as printed', async () => {
    const file = join(place, 'start.sh');
    writeFileSync(file, `cd '${clone}'\nnpm start\n`);
    const { exit, screen } = await openScript(file, home.env).ended;
    const text = stripVTControlCharacters(screen).replaceAll('\r', '');
    expect({ exit, text }).toMatchObject({ exit: 0, text: expect.stringMatching(PEOPLE) });
    expect(text).not.toMatch(UUID);
    const end = text.slice(text.indexOf('Your turn'));
    const commands = [...end.matchAll(/^ {2}(node \S+( \S+)*)/gm)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      expect(await here('sh', '-c', command), command).toMatchObject({ exit: 0, stderr: '' });
    }
  });
});

it('npm pack makes a file that is installed without a warning, and works', async () => {
  rmSync(join(clone, 'dist'), { recursive: true, force: true });
  const npm = (...args: string[]) => run('npm', args, { cwd: clone, env: home.env });
  await npm('pack', '--pack-destination', place);
  const archive = join(place, 'ttctl-0.1.0.tgz');
  const { stdout } = await run('tar', ['-xzOf', archive, 'package/package.json']);
  const { scripts } = JSON.parse(stdout);
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty(name);
  const prefix = join(place, 'prefix');
  const installed = await npm('install', '--global', '--offline', '--prefix', prefix, archive);
  expect(installed.stderr).toBe('');
  const answer = await here('sh', '-c', `'${prefix}/bin/ttctl' --profile sandbox members list -o ids`);
  expect(answer).toMatchObject({ exit: 0, stderr: '' });
  expect(answer.stdout.split('\n').length).toBeGreaterThan(10);
});
