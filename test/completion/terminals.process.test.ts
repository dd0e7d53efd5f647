import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN, cleanHome, type Home, installed, runBinary } from '../support/process.ts';
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
const people = ['Ana', 'Bo'].map((name, index) => ({
  id: 17 + index,
  email: `${name.toLowerCase()}@example.com`,
  firstname: name,
  lastname: 'Sousa',
}));

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
    const words =
      tried.shell === 'bash' ? ['', ''] : ['archive members \\(soft delete\\)', 'Ana Sousa, id 17'];
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
