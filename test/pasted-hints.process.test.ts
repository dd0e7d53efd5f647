import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoopbackServer, startServer } from './support/loopback.ts';
import { cleanHome, type Home, runBinary } from './support/process.ts';

/**
 * Hints are pasted into a shell as they stand. Folders and ids have names here that would do something if they were not
 * quoted; the programs that the hints name are stand-ins that write down their words.
 */

const NAMES = [
  "q'; touch x; '",
  '$(touch x) `touch x`',
  ' two  words ',
  '-rf',
  'a"b\\c&d|e>f',
  'line\nfeed\n',
  'esc\u001b[2J\u202eape',
  'Zoë 山田',
  '##vso[task.x]y',
  'a=b;~*?#',
];

let home: Home;
beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

/** The words of each program that the line starts; nothing else happens. */
const pasted = (line: string): readonly (readonly string[])[] => {
  const bin = join(home.folder, 'bin');
  const empty = join(home.folder, 'empty');
  for (const folder of [bin, empty]) mkdirSync(folder, { recursive: true });
  for (const name of ['ttctl', 'mv', 'cp', 'chmod', 'touch']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\0' ${name} "$@"\nprintf '\\001\\0'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}` };
  const out = execFileSync('sh', ['-c', line], { cwd: empty, env, encoding: 'utf8' });
  expect(readdirSync(empty)).toEqual([]);
  return out
    .split('\u0001\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
};

/** The command line behind these words of the hint; people and programs are given the same one. */
const commandIn = async (args: readonly string[], env: Readonly<Record<string, string>>, hint: RegExp) => {
  const run = (format: string) => runBinary([...args, '--output', format], { env: { ...home.env, ...env } });
  const { error } = JSON.parse((await run('json')).stderr.trim().split('\n').at(-1) ?? '');
  const line = hint.exec(error.hint)?.[1] ?? `no such hint: ${error.hint}`;
  expect((await run('table')).stderr).toContain(line);
  return line;
};

describe.each(NAMES)('in a folder %j', (name) => {
  const folder = () => join(home.folder, name);
  const prepare = (files: Readonly<Record<string, string>>) => {
    mkdirSync(folder(), { mode: 0o700 });
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder(), file), text, { mode: 0o600 });
    return { TTCTL_CONFIG_DIR: folder(), TTCTL_BASE_URL: 'http://127.0.0.1:9' };
  };

  it('a broken credentials file is moved as a whole', async () => {
    const env = prepare({ 'credentials.json': '{' });
    const line = await commandIn(['auth', 'status'], env, /Move it away: (mv [\s\S]*); then sign in/);
    const file = join(folder(), 'credentials.json');
    expect(pasted(line)).toEqual([['mv', file, `${file}.old`]]);
  });

  it('a broken settings file is replaced by the version before it', async () => {
    const good = JSON.stringify({ version: 1, profiles: {} });
    const env = prepare({ 'settings.json': '{', 'settings.json.bak': good });
    const line = await commandIn(['members', 'list'], env, /Restore the previous version: (mv [\s\S]*)$/);
    const file = join(folder(), 'settings.json');
    expect(pasted(line)).toEqual([
      ['mv', file, `${file}.old`],
      ['cp', `${file}.bak`, file],
    ]);
  });
});

describe('a record', () => {
  let server: LoopbackServer;
  beforeEach(async () => {
    server = await startServer(({ method }, response) => {
      if (method !== 'GET') return void response.destroy();
      response.statusCode = 503;
      response.end('{}');
    });
  });
  afterEach(() => server.close());

  // What can be no id is refused before there is a hint.
  it.each(["q'; touch x; '", '$(touch x) `touch x`', 'Zoë 山田 7'])(
    'with the id %j is looked at by that id',
    async (id) => {
      const env = {
        TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
        TTCTL_TOKEN: 'x',
        TTCTL_WORKSPACE: '7',
        TTCTL_MAX_WAIT: '0',
      };
      const args = ['timesheets', 'approve', id, '--yes', '--no-history'];
      const line = await commandIn(args, env, /Check before sending it again: (ttctl [\s\S]*?)(?:\n|$)/);
      expect(pasted(line)).toEqual([['ttctl', 'timesheets', 'list', '--id', id]]);
    },
  );
});
