import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCli } from './support/use-cli.ts';

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

const t = useCli({
  service: ({ line }) => (line.startsWith('GET') ? { status: 503, body: {} } : { cut: true }),
  env: { TTCTL_MAX_WAIT: '0' },
});

/** The words of each program that the line starts; nothing else happens. */
const pasted = (line: string): readonly (readonly string[])[] => {
  const [bin, empty] = [t.file('bin'), t.file('empty')];
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
const commandIn = async (args: readonly string[], hint: RegExp) => {
  const run = (format: string) => t.process([...args, '--output', format]);
  const { error } = JSON.parse((await run('json')).stderr.trim().split('\n').at(-1) ?? '');
  const line = hint.exec(error.hint)?.[1] ?? `no such hint: ${error.hint}`;
  expect((await run('table')).stderr).toContain(line);
  return line;
};

describe.each(NAMES)('in a folder %j', (name) => {
  const folder = () => t.file(name);
  const prepare = (files: Readonly<Record<string, string>>) => {
    mkdirSync(folder(), { mode: 0o700 });
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder(), file), text, { mode: 0o600 });
    t.env['TTCTL_CONFIG_DIR'] = folder();
    delete t.env['TTCTL_TOKEN'];
  };

  it('a broken credentials file is moved as a whole', async () => {
    prepare({ 'credentials.json': '{' });
    const line = await commandIn(['auth', 'status'], /Move it away: (mv [\s\S]*); then sign in/);
    const file = join(folder(), 'credentials.json');
    expect(pasted(line)).toEqual([['mv', file, `${file}.old`]]);
  });

  it('a broken settings file is replaced by the version before it', async () => {
    const good = JSON.stringify({ version: 1, profiles: {} });
    prepare({ 'settings.json': '{', 'settings.json.bak': good });
    const line = await commandIn(['members', 'list'], /Restore the previous version: (mv [\s\S]*)$/);
    const file = join(folder(), 'settings.json');
    expect(pasted(line)).toEqual([
      ['mv', file, `${file}.old`],
      ['cp', `${file}.bak`, file],
    ]);
  });
});

// What can be no id is refused before there is a hint.
it.each(["q'; touch x; '", '$(touch x) `touch x`', 'Zoë 山田 7'])(
  'a record with the id %j is looked at by that id',
  async (id) => {
    const args = ['timesheets', 'approve', id, '--yes', '--no-history'];
    const line = await commandIn(args, /Check before sending it again: (ttctl [\s\S]*?)(?:\n|$)/);
    expect(pasted(line)).toEqual([['ttctl', 'timesheets', 'list', '--id', id]]);
  },
);
