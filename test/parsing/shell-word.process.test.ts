import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeLines } from '../../src/output/safe-text.ts';
import {
  commandLine,
  createCommandTemplate,
  placeholder,
  quoteShellWord,
} from '../../src/parsing/shell-word.ts';

/** Command lines that people copy out of hints: what stands in them is one word, whoever chose it. */

/** What the shell makes of the words behind `ttctl` or `mv`. */
const argvOf = (line: string, shell = 'sh'): readonly string[] => {
  const told = `told() { printf '%s\\0' "$@"; }; ttctl() { told "$@"; }; mv() { told "$@"; }`;
  return execFileSync(shell, ['-c', `${told}\n${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
};

const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'\'"\\$` ;-\n\x1b%\u202e<x', '##vso['), maxLength: 12 }),
);
/** Words have no NUL; a shell drops the line feeds at the end of what a command prints. */
const able = word.filter((text) => !/\0|\p{Cs}|\n$/u.test(text));

it('a quoted word is that word to a shell, and shows nothing hidden', () => {
  fc.assert(
    fc.property(fc.array(able, { minLength: 1, maxLength: 6 }), (words) => {
      const line = words.map(quoteShellWord).join(' ');
      expect(safeLines(line)).toBe(line);
      expect(argvOf(`told ${line}`)).toEqual(words);
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
])('commandLine %s', (line, shown) => {
  expect(line).toBe(shown);
});

it('commandLine hands each value over as one word that is no flag', () => {
  fc.assert(
    fc.property(able, able, able, (one, two, three) => {
      const dashed = (text: string) => text.startsWith('-');
      const line = commandLine`ttctl noun verb ${[one, two]} --flag ${three} --last`;
      const flag = dashed(three) ? [`--flag=${three}`] : ['--flag', three];
      const behind = [one, two].filter(dashed);
      expect(argvOf(line)).toEqual([
        ...['noun', 'verb', ...[one, two].filter((text) => !dashed(text)), ...flag, '--last'],
        ...(behind.length === 0 ? [] : ['--', ...behind]),
      ]);
      expect(argvOf(commandLine`mv ${one} ${`${one}.broken`}`)).toEqual(
        [one, `${one}.broken`].map((text) => (dashed(text) ? `./${text}` : text)),
      );
    }),
    { numRuns: 60 },
  );
});

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Commands and versions are the program's own words, not what somebody else has chosen. */
const OWN_WORDS =
  /^\w*(?:version|__VERSION__)$|^(?:command|noun|what|action|shell|args|number|pathOf|nounOf)\b/i;
/** The name of a snapshot, `[a-z0-9._-]`, needs no quotes; the path of a command and the names of verbs neither. */
const OWN_FILES =
  /^(help\/|cli\/command|completion\/shells|sandbox\/snapshots|commands\/sandbox\/verb|resources\/(tasks|viewers))/;

/** The command lines that a template makes of other words. */
const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:ttctl|mv|cp|chmod|chown|rm) [^`$\n]*\$\{([^}]*)/g)]
    .filter(([, value = '']) => !/^(commandLine|shellWord)/.test(value))
    .filter(([, value = '']) => !OWN_WORDS.test(value) && !OWN_WORDS.test(value.split('.').at(-1) ?? ''))
    .filter(
      ({ index }) => !/(commandLine|Template\([^`]*\))$/.test(text.slice(0, text.lastIndexOf('`', index))),
    )
    .map(([line]) => line);

it('makes every command line that has something in it', () => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !OWN_FILES.test(name))
    .flatMap((name) => {
      const code = readFileSync(join(SRC, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return linesIn(code).map((line) => `${name}: ${line}`);
    });
  expect(found).toEqual([]);
});

it('ends every line in the flags that say where it goes, before what is no flag', () => {
  const line = createCommandTemplate(['--profile', '-x', '--workspace', 'a b']);
  expect(line`ttctl members get ${'7'}`).toBe("ttctl members get 7 --profile=-x --workspace 'a b'");
  expect(line`ttctl members get ${'-rf'}`).toBe("ttctl members get --profile=-x --workspace 'a b' -- -rf");
});
