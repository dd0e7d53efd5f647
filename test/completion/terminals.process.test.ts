import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Completion, SHELLS as READERS, unquote } from '../../src/completion/shells.ts';
import { BIN, cleanHome, type Home, installed, runBinary } from '../support/process.ts';
import { member } from '../support/records.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';
import { openShell } from '../support/terminal.ts';

/**
 * Completion in the shells themselves, in a pseudo-terminal, by the Tab key. `ttctl` is a function there that prints
 * its arguments, so that what is seen is what a program would be handed; the script calls the real one by `command`.
 */

const HOSTILE = 'Nord "Süd" & Co: it\'s $(touch pwned) `touch pwned` !x';
const projects = [HOSTILE, 'Client: Northwind', 'Back\\slash', 'מיזם חדש'].map((name, index) => ({
  id: 300 + index,
  name,
}));
const people = [member(17, 'Ana'), member(18, 'Bo')];

interface Tried {
  readonly shell: string;
  /** Starts it with nothing of this machine's settings. */
  readonly command: (home: string) => string;
  /** Where its settings go, and what they are. */
  readonly settings: readonly [file: string, text: string];
  /** Presses that list what there is. */
  readonly list: string;
}

const PRINTS = `ttctl() { printf 'han%s:' ded; printf '<%s>' "$@"; echo :end; }`;

const SHELLS: readonly Tried[] = [
  {
    shell: 'bash',
    command: (home) => `bash --noprofile --rcfile "${home}/rc" -i`,
    settings: ['rc', `PS1='ready> '\nHISTFILE=\neval "$(ttctl completion bash)"\n${PRINTS}\n`],
    list: '\t\t',
  },
  {
    shell: 'zsh',
    command: () => 'zsh -d -i',
    settings: [
      '.zshrc',
      `PS1='ready> '\nunsetopt zle_bracketed_paste\nautoload -Uz compinit; compinit -u -D\neval "$(ttctl completion zsh)"\n${PRINTS}\n`,
    ],
    list: '\t',
  },
  {
    shell: 'fish',
    command: () => 'fish -i',
    settings: [
      '.config/fish/config.fish',
      `function fish_prompt; echo -n 'ready> '; end\nfunction fish_greeting; end\nttctl completion fish | source\nfunction ttctl; printf 'han%s:' ded; printf '<%s>' $argv; echo :end; end\n`,
    ],
    list: '\t',
  },
];

let home: Home;
let recorder: Recorder;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  home = cleanHome();
  recorder = await startRecorder(({ line }) => ({
    body: onePage(
      line.startsWith('GET /projects') ? projects : line.startsWith('GET /members') ? people : [],
    ),
  }));
  mkdirSync(join(home.folder, 'bin'));
  symlinkSync(BIN, join(home.folder, 'bin/ttctl'));
  const { PATH = '' } = home.env;
  env = {
    ...home.env,
    ...serviceEnv(recorder),
    PATH: `${join(home.folder, 'bin')}:${join(process.execPath, '..')}:${PATH}`,
    ZDOTDIR: home.folder,
    XDG_CONFIG_HOME: join(home.folder, '.config'),
    PWD: home.folder,
  };
  for (const { settings } of SHELLS) {
    const [file, text] = settings;
    mkdirSync(join(home.folder, file, '..'), { recursive: true });
    writeFileSync(join(home.folder, file), text);
  }
  writeFileSync(join(home.folder, 'people of May.csv'), '');
  // Where it is missing, fish reads every manual page of the machine.
  mkdirSync(join(home.folder, '.local/share/fish/generated_completions'), { recursive: true });
  // Somebody has worked here at a terminal before.
  mkdirSync(join(home.folder, '.cache/ttctl/completion'), { recursive: true });
  for (const noun of ['projects', 'members']) {
    const { exit, stderr } = await runBinary([noun, 'list', '-o', 'ids'], { env });
    expect(exit, stderr).toBe(0);
  }
});
afterAll(async () => {
  await recorder.close();
  home.remove();
});

/** One shell; each line is completed in it, and Enter hands it over. */
const openSession = async (tried: Tried) => {
  const shell = openShell(`sh -c 'cd "${home.folder}" && exec ${tried.command(home.folder)}'`, env);
  await shell.until(/ready> /);
  let lines = 0;
  return {
    ...shell,
    /** What a program is handed when these keys are pressed, and then Enter. */
    async handed(keys: string): Promise<string> {
      lines += 1;
      shell.type(`ttctl ${keys}\r`);
      await shell.until(new RegExp(`(?:handed:(<.*>):end[\\s\\S]*){${lines}}ready> `));
      return [...shell.screen().matchAll(/handed:(<.*>):end/g)][lines - 1]?.[1] ?? '';
    },
  };
};

describe.each(SHELLS)('in $shell', (tried) => {
  const absent = installed(tried.shell, `completion in ${tried.shell}`) === undefined;
  let session: Awaited<ReturnType<typeof openSession>>;
  beforeAll(async () => {
    if (!absent) session = await openSession(tried);
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
    expect(await session.handed(keys)).toBe(words);
    expect(existsSync(join(home.folder, 'pwned'))).toBe(false);
  });

  it.skipIf(absent)('what there is is listed with words about it', async () => {
    session.type(`ttctl members ${tried.list}`);
    // Bash has room for the words alone.
    const words = tried.shell === 'bash' ? ['', ''] : ['archive members \\(soft delete\\)', 'Ana Ek, id 17'];
    await session.until(new RegExp(`archive[\\s\\S]*${words[0]}`));
    session.type(`get ${tried.list}`);
    await session.until(new RegExp(`ana@example\\.com[\\s\\S]*${words[1]}`));
  });
});

describe('the process that answers', () => {
  const ask = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runBinary(['__complete', ...args], { env: { ...env, ...more } });

  it.each([
    [['bash']],
    [['tcsh', 'x']],
    [[]],
    [['__proto__', 'x']],
    [['zsh', 'memberz', '']],
    [['zsh', 'contracts', 'list', '--member', '']],
  ])('ends well and says nothing on stderr: %j', async (args) => {
    const nowhere = { TTCTL_CACHE_DIR: '/nowhere', TTCTL_PROFILE: 'nobody' };
    expect(await ask(args, nowhere)).toMatchObject({ stderr: '', exit: 0 });
  });

  it('gives static words with broken settings and wrong variables', async () => {
    mkdirSync(join(home.folder, 'broken'));
    writeFileSync(join(home.folder, 'broken/settings.json'), '{', { mode: 0o600 });
    const broken = { TTCTL_CONFIG_DIR: join(home.folder, 'broken'), TTCTL_TIMEOUT: 'soon' };
    const { stdout, stderr, exit } = await ask(['zsh', 'timesheets', ''], broken);
    expect([stderr, exit]).toEqual(['', 0]);
    expect(stdout).toContain('approve:');
  });

  it('is quiet when nobody reads to the end', () => {
    const line = `"${process.execPath}" "${BIN}" __complete zsh '' | head -c 1; echo " \${PIPESTATUS[0]}"`;
    expect(execFileSync('bash', ['-c', line], { env, encoding: 'utf8' })).toMatch(/ 0\n$/);
  });
});

const TEXTS = [
  ...['North Wind', 'Client: Northwind', HOSTILE, 'a\\b', '*.md', '~root', '#1', '{a,b}', 'a;b|c>d<e(f)'],
  ...['ana@example.com', 'x=y', 'מיזם חדש', '山田 太郎', '👩‍👩‍👧 Family', "'", '"'],
];

/** What bash makes of shell words: each value, as bash itself hands it to a program. */
const byBash = (words: readonly string[]): readonly string[] =>
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

/** Text that a service may send and that is offered: no controls. */
const plainText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: such values are not offered
  .filter((text) => !/[\u0000-\u001f\u007f]/.test(text) && !/\p{Cs}/u.test(text));

describe('bash', () => {
  it.each([
    ['alone', '', ''],
    ['within double quotes', '"', '"'],
    ['within single quotes', "'", "'"],
  ])('makes the value again of what is put in %s', (_where, open, close) => {
    const texts = [...TEXTS, ...fc.sample(plainText, { numRuns: 200, seed: 7 })];
    expect(byBash(texts.map((text) => completed(open, '', text, close)))).toEqual(texts);
  });

  it.each([
    ['ana@ex', '@ex', 'ana@example.com'],
    ['ana@ex', 'ex', 'ana@example.com'],
    ['Client:\\ N', '\\ N', 'Client: Northwind'],
    ['"Client: N', 'Client: N', 'Client: Northwind'],
    ['Client:', '', 'Client: Northwind'],
    ["'it'\\''s a", 's a', "it's all"],
  ])('goes on behind %s, of which it replaces %j', (raw, part, value) => {
    const close = unquote(raw).quote;
    expect(byBash([completed(raw, part, value, close)])).toEqual([value]);
  });

  it('offers only what goes on with what stands there', () => {
    const asked = askBash(['ttctl x Nor', 'Nor']);
    expect(asked.print({ kept: '', candidates: [{ value: 'South' }, { value: 'North' }] })).toBe('\nNorth\n');
  });
});

describe('a line of bash', () => {
  it.each([
    ['ttctl a b', ['a'], 'b'],
    ['ttctl a ', ['a'], ''],
    [`ttctl 'a b' "c \\"d" e\\ f g`, ['a b', 'c "d', 'e f'], 'g'],
    [`ttctl --x="a b`, [], '--x=a b'],
    ['ttctl "a\\b$x" ', ['a\\b$x'], ''],
  ])('%j is read as words', (line, words, typed) => {
    expect(askBash([line])).toMatchObject({ words, typed });
  });

  it('leaves redirections out, and files to bash', () => {
    const asked = askBash(['ttctl members list 2>/dev/null -o csv > o', 'o']);
    expect(asked.words).toEqual(['members', 'list', '-o', 'csv']);
    expect(asked.print(answerOf('other'))).toBe('files\n');
  });

  it('of any kind is read without an end that never comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`a '"\\$<>`) }), (raw) => {
        askBash([raw]);
        expect(typeof unquote(raw).text).toBe('string');
      }),
    );
  });
});

describe('powershell', () => {
  const reply = (words: readonly string[], answer: Completion) =>
    READERS['powershell']?.([], { TTCTL_COMPLETE_WORDS: words.join('\u001f') }).print(answer) ?? '';

  it('is answered in ASCII, with words that are safe to put in', () => {
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

  it('keeps what stands before the value, and tells whether files may follow', () => {
    const answer: Completion = { kept: '--role=', candidates: [{ value: 'Owner' }], files: true };
    expect(JSON.parse(reply(['members', 'list', '--role=o'], answer))).toEqual({
      files: true,
      candidates: [{ text: '--role=Owner', list: 'Owner', tip: 'Owner' }],
    });
  });
});
