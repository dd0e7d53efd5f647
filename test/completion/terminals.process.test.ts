import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Completion, SHELLS as READERS, unquote } from '../../src/completion/shells.ts';
import { BIN, installed } from '../support/process.ts';
import { member } from '../support/records.ts';
import { openShell } from '../support/terminal.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Completion in the shells themselves, in a pseudo-terminal, by the Tab key. `ttctl` is a function there that prints
 * its arguments, so that what is seen is what a program would be handed; the script calls the real one by `command`.
 */

const HOSTILE = 'Nord "Süd" & Co: it\'s $(touch pwned) `touch pwned` !x';
const NAMES = [HOSTILE, 'Client: Northwind', 'Back\\slash', 'מיזם חדש'];
const projects = NAMES.map((name, index) => ({ id: 300 + index, name }));
const t = useCli({ shared: true, service: { projects, members: [member(17, 'Ana'), member(18, 'Bo')] } });

beforeAll(async () => {
  Object.assign(t.env, { ZDOTDIR: t.folder, XDG_CONFIG_HOME: t.file('.config'), PWD: t.folder });
  t.file('people of May.csv', '');
  // Where it is missing, fish reads every manual page of the machine.
  mkdirSync(t.file('.local/share/fish/generated_completions'), { recursive: true });
  // Somebody has worked here at a terminal before.
  mkdirSync(t.file('.cache/ttctl/completion'), { recursive: true });
  for (const noun of ['projects', 'members'])
    expect(await t.process(`${noun} list -o ids`)).toMatchObject({ exit: 0 });
  mkdirSync(t.file('bin'));
  symlinkSync(BIN, t.file('bin/ttctl'));
  t.env['PATH'] = `${t.file('bin')}:${join(process.execPath, '..')}:${process.env['PATH']}`;
});

const PRINTS = `ttctl() { printf 'han%s:' ded; printf '<%s>' "$@"; echo :end; }`;

/** How each is started with nothing of this machine's settings, its own, and the presses that list what there is. */
const SHELLS = [
  {
    shell: 'bash',
    command: 'bash --noprofile --rcfile ./rc -i',
    file: 'rc',
    settings: `PS1='ready> '\nHISTFILE=\neval "$(ttctl completion bash)"\n${PRINTS}\n`,
    list: '\t\t',
  },
  {
    shell: 'zsh',
    command: 'zsh -d -i',
    file: '.zshrc',
    settings: `PS1='ready> '\nunsetopt zle_bracketed_paste\nautoload -Uz compinit; compinit -u -D\neval "$(ttctl completion zsh)"\n${PRINTS}\n`,
    list: '\t',
  },
  {
    shell: 'fish',
    command: 'fish -i',
    file: '.config/fish/config.fish',
    settings: `function fish_prompt; echo -n 'ready> '; end\nfunction fish_greeting; end\nttctl completion fish | source\nfunction ttctl; printf 'han%s:' ded; printf '<%s>' $argv; echo :end; end\n`,
    list: '\t',
  },
];

describe.each(SHELLS)('in $shell', ({ shell, command, file, settings, list }) => {
  const absent = installed(shell, `completion in ${shell}`) === undefined;
  let session: ReturnType<typeof openShell>;
  beforeAll(async () => {
    if (absent) return;
    t.file(file, settings);
    session = openShell(`sh -c 'cd "${t.folder}" && exec ${command}'`, t.processEnv());
    await session.until(/ready> /);
  });
  afterAll(() => session?.close());

  it.skipIf(absent).each([
    ['a command', 'memb\tres\t', '<members><restore>'],
    ['a flag and its choice', 'members list --rol\treg\t', '<members><list><--role><regular-user>'],
    ['a choice behind =', 'members list --role=reg\t', '<members><list><--role=regular-user>'],
    ['a person by e-mail', 'members get an\t', '<members><get><ana@example.com>'],
    ['the rest of an e-mail', 'members get ana@ex\t', '<members><get><ana@example.com>'],
    ['a name with everything in it', 'projects get Nor\t', `<projects><get><${HOSTILE}>`],
    ['the same within double quotes', 'projects get "Nor\t', `<projects><get><${HOSTILE}>`],
    ['the same within single quotes', "projects get 'Nor\t", `<projects><get><${HOSTILE}>`],
    ['the same behind =', 'contracts list --project=Nor\t', `<contracts><list><--project=${HOSTILE}>`],
    ['what follows a colon', 'projects get Client:\\ No\t', '<projects><get><Client: Northwind>'],
    ['a backslash', 'projects get Bac\t', '<projects><get><Back\\slash>'],
    ['letters from right to left', 'projects get מי\t', '<projects><get><מיזם חדש>'],
    ['a file', 'members invite --from-file peo\t', '<members><invite><--from-file><people of May.csv>'],
    [
      'a file behind =',
      'members invite --from-file=peo\t',
      '<members><invite><--from-file=people of May.csv>',
    ],
  ])('%s is completed', async (_what, keys, words) => {
    const handed = () => [...session.screen().matchAll(/handed:(<.*>):end/g)].map(([, all]) => all);
    const count = handed().length + 1;
    session.type(`ttctl ${keys}\r`);
    await session.until(new RegExp(`(?:handed:(<.*>):end[\\s\\S]*){${count}}ready> `));
    expect(handed()[count - 1]).toBe(words);
    expect(existsSync(t.file('pwned'))).toBe(false);
  });

  it.skipIf(absent)('what there is is listed with words about it', async () => {
    session.type(`ttctl members ${list}`);
    // Bash has room for the words alone.
    const words = shell === 'bash' ? ['', ''] : ['archive members \\(soft delete\\)', 'Ana Ek, id 17'];
    await session.until(new RegExp(`archive[\\s\\S]*${words[0]}`));
    session.type(`get ${list}`);
    await session.until(new RegExp(`ana@example\\.com[\\s\\S]*${words[1]}`));
  });
});

it.each([
  [['bash']],
  [['tcsh', 'x']],
  [[]],
  [['__proto__', 'x']],
  [['zsh', 'memberz', '']],
  [['zsh', 'contracts', 'list', '--member', '']],
])('the process that answers ends well and says nothing on stderr: %j', async (args) => {
  const env = { TTCTL_CACHE_DIR: '/nowhere', TTCTL_PROFILE: 'nobody' };
  expect(await t.process(['__complete', ...args], { env })).toMatchObject({ stderr: '', exit: 0 });
});

it('the process that answers gives static words with broken settings and wrong variables', async () => {
  t.file('broken/settings.json', '{');
  const env = { TTCTL_CONFIG_DIR: t.file('broken'), TTCTL_TIMEOUT: 'soon' };
  const { stdout, stderr, exit } = await t.process('__complete zsh timesheets ""', { env });
  expect([stderr, exit]).toEqual(['', 0]);
  expect(stdout).toContain('approve:');
});

it('the process that answers is quiet when nobody reads to the end', () => {
  const line = `"${process.execPath}" "${BIN}" __complete zsh '' | head -c 1; echo " \${PIPESTATUS[0]}"`;
  expect(execFileSync('bash', ['-c', line], { env: t.processEnv(), encoding: 'utf8' })).toMatch(/ 0\n$/);
});

const TEXTS = [
  ...['North Wind', 'Client: Northwind', HOSTILE, 'a\\b', '*.md', '~root', '#1', '{a,b}', 'a;b|c>d<e(f)'],
  ...['ana@example.com', 'x=y', 'מיזם חדש', '山田 太郎', '👩‍👩‍👧 Family', "'", '"'],
];

/** What bash makes of shell words: each value, as bash itself hands it to a program. */
const byBash = (words: readonly string[]) =>
  execFileSync('bash', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const askBash = (args: readonly string[]) => {
  const request = READERS['bash']?.(args, {});
  if (request === undefined) throw new Error('no bash');
  return request;
};

/** Values as each shell takes them: what it then makes of its own words is the value again. */
const answerOf = (value: string): Completion => ({ kept: '', candidates: [{ value }] });

/** The whole word after bash has put the candidate in behind what stands there. */
const completed = (raw: string, part: string, value: string, close: string): string => {
  const line = `ttctl x ${raw}`;
  const [, inserted = ''] = askBash([line, part]).print(answerOf(value)).split('\n');
  return `${raw.slice(0, raw.length - part.length)}${inserted}${close}`;
};

it.each([
  ['alone', '', ''],
  ['within double quotes', '"', '"'],
  ['within single quotes', "'", "'"],
])('bash makes the value again of what is put in %s', (_where, open, close) => {
  // What a service may send and is offered: no controls.
  const offered = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((text) => !/\p{Cc}|\p{Cs}/u.test(text));
  const texts = [...TEXTS, ...fc.sample(offered, { numRuns: 200, seed: 7 })];
  expect(byBash(texts.map((text) => completed(open, '', text, close)))).toEqual(texts);
});

it.each([
  ['ana@ex', '@ex', 'ana@example.com'],
  ['ana@ex', 'ex', 'ana@example.com'],
  ['Client:\\ N', '\\ N', 'Client: Northwind'],
  ['"Client: N', 'Client: N', 'Client: Northwind'],
  ['Client:', '', 'Client: Northwind'],
  ["'it'\\''s a", 's a', "it's all"],
])('bash goes on behind %s, of which it replaces %j', (raw, part, value) => {
  const close = unquote(raw).quote;
  expect(byBash([completed(raw, part, value, close)])).toEqual([value]);
});

it('bash offers only what goes on with what stands there', () => {
  const asked = askBash(['ttctl x Nor', 'Nor']);
  expect(asked.print({ kept: '', candidates: [{ value: 'South' }, { value: 'North' }] })).toBe('\nNorth\n');
});

it.each([
  ['ttctl a b', ['a'], 'b'],
  ['ttctl a ', ['a'], ''],
  [`ttctl 'a b' "c \\"d" e\\ f g`, ['a b', 'c "d', 'e f'], 'g'],
  [`ttctl --x="a b`, [], '--x=a b'],
  ['ttctl "a\\b$x" ', ['a\\b$x'], ''],
])('a line of bash %j is read as words', (line, words, typed) => {
  expect(askBash([line])).toMatchObject({ words, typed });
});

it('a line of bash leaves redirections out, and files to bash', () => {
  const asked = askBash(['ttctl members list 2>/dev/null -o csv > o', 'o']);
  expect(asked.words).toEqual(['members', 'list', '-o', 'csv']);
  expect(asked.print(answerOf('other'))).toBe('files\n');
});

it('a line of bash of any kind is read without an end that never comes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...`a '"\\$<>`) }), (raw) => {
      askBash([raw]);
      expect(typeof unquote(raw).text).toBe('string');
    }),
  );
});

const reply = (words: readonly string[], answer: Completion) =>
  READERS['powershell']?.([], { TTCTL_COMPLETE_WORDS: words.join('\u001f') }).print(answer) ?? '';

it('powershell is answered in ASCII, with words that are safe to put in', () => {
  const candidates = TEXTS.map((value) => ({ value }));
  const text = reply(['members', 'get', ''], { kept: '', candidates });
  expect(text).toMatch(/^[\x20-\x7e]+\n$/);
  const { candidates: found } = JSON.parse(text);
  const texts: readonly string[] = found.map(({ text: word }: { text: string }) => word);
  expect(texts).toContain(`'Nord "Süd" & Co: it''s $(touch pwned) \`touch pwned\` !x'`);
  expect(texts).toContain("'ana@example.com'");
  // Within single quotes only a quote is special, doubled it is one; everything else is text as it is.
  const read = (word: string) => (word.startsWith("'") ? word.slice(1, -1).replaceAll("''", "'") : word);
  expect(texts.map(read)).toEqual(TEXTS);
  for (const word of texts) expect(word).toMatch(/^('(?:[^'‘’‚‛]|'')*'|[\w./:+-][\w./:=+-]*)$/);
});

it('powershell keeps what stands before the value, and tells whether files may follow', () => {
  const answer: Completion = { kept: '--role=', candidates: [{ value: 'Owner' }], files: true };
  expect(JSON.parse(reply(['members', 'list', '--role=o'], answer))).toEqual({
    files: true,
    candidates: [{ text: '--role=Owner', list: 'Owner', tip: 'Owner' }],
  });
});
