import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeLines } from '../../src/output/safe-text.ts';
import {
  commandLine,
  createCommandTemplate,
  placeholder,
  quoteShellWord,
} from '../../src/parsing/shell-word.ts';
import { useCli } from '../support/use-cli.ts';

/** Command lines that people copy out of hints: what stands in them is one word, whoever chose it. */

const t = useCli({
  service: ({ line }) => (line.startsWith('GET') ? { status: 503, body: {} } : { cut: true }),
  env: { TTCTL_MAX_WAIT: '0' },
});

/** What a shell calls for a line, its programs being stand-ins that say their words; nothing else happens. */
const callsOf = (line: string) => {
  const standIns = ['ttctl', 'mv', 'cp', 'touch'].map(
    (name) => `${name}() { printf '%s\\0' ${name} "$@"; printf 'the end\\0'; }`,
  );
  const cwd = t.file('empty');
  mkdirSync(cwd, { recursive: true });
  const script = [...standIns, line].join('\n');
  const out = execFileSync('/bin/sh', ['-c', script], { cwd, env: { PATH: '/nowhere' }, encoding: 'utf8' });
  expect(readdirSync(cwd)).toEqual([]);
  return out
    .split('the end\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
};

/** Words have no NUL; a shell drops the line feeds at the end of what a command prints. */
const word = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'\'"\\$` ;-\n\x1b%\u202e<x', '##vso['), maxLength: 12 }),
  )
  .filter((text) => !/\0|\p{Cs}|\n$/u.test(text));

it('a quoted word is that word to a shell, and shows nothing hidden', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const line = words.map(quoteShellWord).join(' ');
      expect(safeLines(line)).toBe(line);
      expect(callsOf(`ttctl ${line}`)).toEqual([['ttctl', ...words]]);
    }),
    { numRuns: 60 },
  );
});

it.each([
  [commandLine`ttctl members get ${17}`, 'ttctl members get 17'],
  [commandLine`ttctl members restore ${['17', "a'b"]}`, "ttctl members restore 17 'a'\\''b'"],
  [commandLine`ttctl tasks assign ${'-5'} --project ${'-p'}`, 'ttctl tasks assign --project=-p -- -5'],
  [commandLine`ttctl x ${placeholder('task')} ${'<task>'}`, "ttctl x <task> '<task>'"],
  [commandLine`mv ${'-x'} ${'y z'}`, "mv ./-x 'y z'"],
  [commandLine`ttctl auth login`, 'ttctl auth login'],
])('the command line %s is written so', (line, shown) => {
  expect(line).toBe(shown);
});

it('a command line hands each value over as one word that is no flag', () => {
  fc.assert(
    fc.property(word, word, word, (one, two, three) => {
      const dashed = (text: string) => text.startsWith('-');
      const line = commandLine`ttctl noun verb ${[one, two]} --flag ${three} --last`;
      const flag = dashed(three) ? [`--flag=${three}`] : ['--flag', three];
      const behind = [one, two].filter(dashed);
      const plain = [one, two].filter((text) => !dashed(text));
      const end = behind.length === 0 ? [] : ['--', ...behind];
      expect(callsOf(line)).toEqual([['ttctl', 'noun', 'verb', ...plain, ...flag, '--last', ...end]]);
      const files = [one, `${one}.broken`].map((text) => (dashed(text) ? `./${text}` : text));
      expect(callsOf(commandLine`mv ${one} ${`${one}.broken`}`)).toEqual([['mv', ...files]]);
    }),
    { numRuns: 60 },
  );
});

it('a command line ends in the flags that say where it goes, before what is no flag', () => {
  const line = createCommandTemplate(['--profile', '-x', '--workspace', 'a b']);
  expect(line`ttctl members get ${'7'}`).toBe("ttctl members get 7 --profile=-x --workspace 'a b'");
  expect(line`ttctl members get ${'-rf'}`).toBe("ttctl members get --profile=-x --workspace 'a b' -- -rf");
});

/** The command line behind these words of the hint; people and programs are given the same one. */
const commandIn = async (args: readonly string[], hint: RegExp) => {
  const run = async (format: string) => (await t.process([...args, '--output', format])).stderr;
  const { error } = JSON.parse((await run('json')).trim().split('\n').at(-1) ?? '');
  const line = hint.exec(error.hint)?.[1] ?? `no such hint: ${error.hint}`;
  expect(await run('table')).toContain(line);
  return line;
};

/** Names that would do something if they were not quoted. */
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

it.each(NAMES)('in a folder %j a broken file is moved, and the one before put back', async (name) => {
  mkdirSync(t.file(name), { mode: 0o700 });
  Object.assign(t.env, { TTCTL_CONFIG_DIR: t.file(name), TTCTL_TOKEN: '' });
  const credentials = t.file(join(name, 'credentials.json'), '{');
  const away = await commandIn(['auth', 'status'], /Move it away: (mv [\s\S]*); then sign in/);
  expect(callsOf(away)).toEqual([['mv', credentials, `${credentials}.old`]]);
  const settings = t.file(join(name, 'settings.json'), '{');
  t.file(join(name, 'settings.json.bak'), '{"version":1,"profiles":{}}');
  const back = await commandIn(['members', 'list'], /Restore the previous version: (mv [\s\S]*)$/);
  expect(callsOf(back)).toEqual([
    ['mv', settings, `${settings}.old`],
    ['cp', `${settings}.bak`, settings],
  ]);
});

// What can be no id is refused before there is a hint.
it.each(["q'; touch x; '", '$(touch x) `touch x`', 'Zoë 山田 7'])(
  'a record is looked at by the id %j',
  async (id) => {
    const args = ['timesheets', 'approve', id, '--yes', '--no-history'];
    const line = await commandIn(args, /Check before sending it again: (ttctl [\s\S]*?)(?:\n|$)/);
    expect(callsOf(line)).toEqual([['ttctl', 'timesheets', 'list', '--id', id]]);
  },
);

it('a command line in the source that has something in it is made by commandLine', () => {
  // The program's own words, not what somebody else has chosen; the name of a snapshot, `[a-z0-9._-]`, needs no quotes.
  const own = /^\w*(?:version|__VERSION__)$|^(?:command|noun|what|action|shell|args|number|pathOf|nounOf)\b/i;
  const ownFiles =
    /^(help\/|cli\/command|completion\/shells|sandbox\/snapshots|commands\/sandbox\/verb|resources\/(tasks|viewers))/;
  const unquoted = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !ownFiles.test(name))
    .flatMap((name) => {
      const code = readFileSync(join('src', name), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return [...code.matchAll(/\b(?:ttctl|mv|cp|chmod|chown|rm) [^`$\n]*\$\{([^}]*)/g)]
        .filter(({ index, 1: value = '' }) => {
          const isQuoted = /(commandLine|Template\([^`]*\))$/.test(
            code.slice(0, code.lastIndexOf('`', index)),
          );
          const isOwn = own.test(value) || own.test(value.split('.').at(-1) ?? '');
          return !isQuoted && !isOwn && !/^(commandLine|shellWord)/.test(value);
        })
        .map(([line]) => `${name}: ${line}`);
    });
  expect(unquoted).toEqual([]);
});
