import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Command, CommandNode } from '../../src/cli/command.ts';
import { Line } from '../../src/cli/command.ts';
import type { Flag } from '../../src/cli/flag.ts';
import { formatLongFlag } from '../../src/cli/flag.ts';
import { findMistakes } from '../../src/help/answer.ts';
import { TOPIC_PAGES } from '../../src/help/topics.ts';
import { words } from '../support/in-process.ts';
import { leaves, loadProgram } from '../support/tree.ts';

/** Nothing that is suggested or shown as an example skips a question, destroys, or widens what is done. */

/** The switches that skip no question, widen nothing that is done or shown, and keep every safeguard. */
const HARMLESS = [
  '--json --no-header --no-input --dry-run --quiet --debug --no-color --template --billable --no-billable',
  '--answer-after-handler --create --token-stdin --require-signature --paginate',
  '--client-secret-stdin --no-browser --client-credentials --read-only --detach --limits',
  '--after-commit --follow --long --exit-code --all-or-nothing --clean --include --if-missing --strict --version',
].flatMap((line) => line.split(' '));
const DESTRUCTIVE = [
  ...['archive', 'delete', 'remove', 'unassign', 'approve', 'reject', 'submit', 'unsubmit'],
  ...['stop', 'reset', 'clear', 'logout', 'revoke'],
];

const LETTERS = 'aenorstx';

/** Words that a slip of the finger makes of it, and beginnings of it. */
const slips = (word: string): readonly string[] => [
  ...[...word].flatMap((letter, i) => [
    word.slice(0, i) + word.slice(i + 1),
    word.slice(0, i) + letter + word.slice(i),
    word.slice(0, i) + word.slice(i + 1, i + 2) + letter + word.slice(i + 2),
    ...[...LETTERS].map((other) => word.slice(0, i) + other + word.slice(i + 1)),
  ]),
  ...[...word].map((_, i) => word.slice(0, i)).slice(3),
];

const all = await leaves();
const whole = await loadProgram();

const hintsOf = async (args: readonly string[]): Promise<string> =>
  findMistakes(new Line<Flag, CommandNode>(whole, args), whole)
    .map(({ hint = '' }) => hint)
    .join('\n');

/** All other switches, and what takes a value and does so. */
const UNSAFE = [
  ...['--max-changes', '--host', '--allow-webhooks-to', '--ignore-columns'],
  ...[...all.flatMap(({ command }) => command.flags), ...whole.flags]
    .filter(({ value }) => value === undefined)
    .map(formatLongFlag)
    .filter((long) => !HARMLESS.includes(long)),
];

const longs = ({ flags }: Command): readonly string[] => [...flags, ...whole.flags].map(formatLongFlag);

describe('a flag that is none', () => {
  it('is never answered with one that skips a question or widens what is done', async () => {
    const foreign = [
      '-f',
      '-a',
      '--web',
      '--force',
      '--assume-yes',
      '--confirm',
      '--everything',
      '--recursive',
    ];
    let seen = 0;
    for (const { path, command } of all) {
      const known = longs(command);
      const near = UNSAFE.filter((flag) => known.includes(flag)).flatMap((flag) =>
        slips(flag.slice(2)).map((slip) => `--${slip}`),
      );
      for (const word of [...new Set([...near, ...foreign])].filter((one) => !known.includes(one))) {
        const hint = await hintsOf([...path.split(' '), word]);
        seen += 1;
        const offered = /Did you mean (\S+?)[? ]/.exec(hint)?.[1] ?? '';
        expect(UNSAFE, `${path} ${word}: ${hint}`).not.toContain(offered);
      }
    }
    expect(seen).toBeGreaterThan(10_000);
  });

  it.each([
    'members list --web',
    'members archive 3 -f',
    'members archive 3 --force',
    'members archive 3 --ye',
  ])('has nothing that it might mean: %s', async (line) => {
    expect(await hintsOf(words(line))).toBe('');
  });
});

describe('a command that is none', () => {
  it('is never answered with one that destroys or decides', async () => {
    const groups = [...new Set(all.map(({ path }) => path.split(' ').slice(0, -1).join(' ')))];
    for (const group of groups)
      for (const verb of [
        ...DESTRUCTIVE,
        'unarchive',
        'deactivate',
        'unapprove',
        'disapprove',
        'destroy',
        'purge',
      ])
        for (const word of [verb, ...slips(verb)]) {
          const hint = await hintsOf([...group.split(' ').filter(Boolean), word]);
          for (const offered of /^Did you mean (.*)\?$/.exec(hint)?.[1]?.split(', or ') ?? [])
            expect(DESTRUCTIVE, `${group} ${word}: ${hint}`).not.toContain(offered.split(' ').at(-1));
        }
  });

  it('is answered with what there is', async () => {
    expect(await hintsOf(['members', 'unarchive'])).toMatch(/^Commands: list, get, /);
    expect(await hintsOf(['approve'])).toBe('Run ttctl --help for all commands.');
    expect(await hintsOf(['members', 'restor'])).toBe('Did you mean restore?');
  });
});

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Every command line that is shown: examples, topics, documents, the tour. */
const shown = async (): Promise<readonly string[]> => {
  const topics = Object.values(TOPIC_PAGES);
  const files = [
    ...['README.md', 'CHANGELOG.md', 'scripts/tour.mjs'],
    ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ];
  return [
    ...all.flatMap(({ command }) => command.examples),
    ...topics.flatMap((page) => page.join('\n').match(/^\$ .*/gm) ?? []),
    ...files.flatMap((name) => readFileSync(join(ROOT, name), 'utf8').match(/\bttctl [^\n`]*/g) ?? []),
  ].flatMap((line) => line.split(/ #|&&|\|\|?|;/).filter((part) => part.includes('ttctl ')));
};

describe('what is shown as an example', () => {
  it('never destroys all that match: it looks first', async () => {
    const lines = await shown();
    expect(lines.length).toBeGreaterThan(200);
    const wide = lines.filter(
      (line) =>
        / --all\b/.test(line) &&
        / (archive|delete|remove|unassign) /.test(line) &&
        !line.includes('--dry-run'),
    );
    expect(wide).toEqual([]);
  });

  it('never decides on all of a workspace without a question', async () => {
    const bare = (await shown()).filter(
      (line) =>
        / --all( |$)/.test(line) &&
        / --yes\b/.test(line) &&
        !/ --(period|member|status|policy|project|role|email|id|date-from|name)\b/.test(line),
    );
    expect(bare).toEqual([]);
  });

  it('never archives those who have been invited and have not come', async () => {
    expect((await shown()).filter((line) => /archive .*--status inactive/.test(line))).toEqual([]);
  });
});
