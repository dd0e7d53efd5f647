import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANING } from '../src/errors.ts';
import { DOCUMENTS, fridayClock, LATER, ROOT, readDocument, sectionsOf } from './support/documents.ts';
import { makeFolder } from './support/folder.ts';
import { freePort } from './support/oauth.ts';
import { installed } from './support/process.ts';
import { matches, parseSession } from './support/session-runner.ts';
import { openScript, type Reply, type Terminal } from './support/terminal.ts';
import { openCli } from './support/use-cli.ts';

/**
 * The commands of README.md and docs/ are run as written, section by section, each in a folder of its own with a
 * fresh sandbox, on a Friday. `sh` blocks run at a terminal of 80 columns, and questions are answered with yes;
 * what `console` blocks show is compared to the letter. Ports are changed for free ones.
 */

/** What a reader types: yes to a question; a look at the inbox. */
const REPLIES: readonly Reply[] = [
  [/\(y\/N\)/, 'y\r'],
  [/Inbox: \d+ waiting[\s\S]*q quit/, 'q'],
];

/** Blocks that do not run here, by their first line. */
const NOT_RUN = {
  'npm ci && npm link': 'changes this machine; .ci/run begins with npm ci',
  'ttctl auth login --base-url https://<your service>/api/v2 --token-stdin':
    'no such service; the last block of its section signs in like this to a sandbox',
  'ttctl auth login     # choose the browser; the session is stored':
    'needs a person and a browser; test/oauth-browser.slow.test.ts has both',
  'ttctl webhooks listen --forward http://127.0.0.1:3000/hook':
    'goes on until Ctrl-C; test/webhooks/forwarding.test.ts',
  'ttctl sandbox exec --seed month-end -- npm test': 'there is no package to test; docs/ci.md has such a run',
  'ttctl sandbox log --limit 20': 'follows until Ctrl-C; test/sandbox-verbs.process.test.ts',
  'ttctl webhooks listen --profile sandbox --create --event project.created':
    'listens until Ctrl-C; docs/webhooks.md has it in two terminals',
  'ttctl sandbox start --port 0 --seed ./two.json':
    'serves until Ctrl-C; the file is read by test/docs.test.ts',
  'ttctl sandbox start --port 0 --dialect pagination=top,created=200,invalid=422':
    'serves until Ctrl-C; test/sandbox/dialect.test.ts',
  'npm install --save-dev ttctl': 'changes a package; examples/ has one',
};

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
const all = DOCUMENTS.flatMap(sectionsOf);
const runnable = all
  .map(({ name, blocks }) => ({
    name,
    blocks: blocks.filter(
      ({ language, text }) => /^(sh|console|later)$/.test(language) && !(firstLine(text) in NOT_RUN),
    ),
  }))
  .filter(({ blocks }) => blocks.length > 0);
const needsJq = ({ blocks }: (typeof runnable)[number]) => blocks.some(({ text }) => /\bjq /.test(text));
const hasJq = installed('jq', 'sections of documents') !== undefined;

describe.concurrent('what the documents tell to do', () => {
  it.skip.each(runnable.filter((section) => !hasJq && needsJq(section)))('$name', () => {});
  it.each(runnable.filter((section) => hasJq || !needsJq(section)))('$name', async ({ blocks }) => {
    const t = await openCli({ sandbox: 'demo', env: fridayClock() });
    const exported = t.file('.exports', '');
    // What is exported stays so for the next block.
    const scriptOf = (text: string) =>
      `. '${exported}'\ncd '${t.folder}'\n${text}\nexport -p > '${exported}'\n`;
    const atTerminal = (text: string) =>
      openScript(t.file('.block.sh', scriptOf(text)), t.processEnv(), REPLIES);
    // The ports that are written may be taken on this machine.
    const [first, second] = [await freePort(), await freePort()];
    const withPorts = (text: string) =>
      text
        .replace(/\b4747\b/g, String(first))
        .replace(/\b4748\b/g, String(second))
        .replaceAll('webhooks listen ', `webhooks listen --port ${second} `);
    /** In a second terminal, for what the next block makes. */
    let listener: Terminal | undefined;
    for (const { language, text: written, line } of blocks) {
      const text = withPorts(written);
      if (language === LATER) {
        appendFileSync(exported, '\nexport CLOCK_AHEAD_MS=$((CLOCK_AHEAD_MS + 86400000))\n');
      } else if (language === 'console') {
        for (const { command, stdout } of parseSession(text, false)) {
          const script = `exec 2>&1\n${scriptOf(command)}`;
          const ended = await t.shell(script, { shell: 'bash' });
          const isShown = matches(stdout, ended.stdout.replace(/\n$/, '').split('\n'));
          expect(isShown, `line ${line}: $ ${command}\n${ended.stdout}`).toBe(true);
        }
      } else if (text.includes('webhooks listen')) {
        listener = atTerminal(text);
        await listener.until(/Press\s+Ctrl-C\s+to\s+stop\./);
      } else {
        const { exit, screen } = await atTerminal(text).ended;
        expect(exit, `line ${line}: ${text}\n---\n${screen}`).toBe(0);
        if (listener === undefined) continue;
        await listener.until(/project\.created[\s\S]*valid/);
        listener.type('\x03');
        expect((await listener.ended).exit).toBe(130);
        listener = undefined;
      }
    }
    await t.close();
  });
});

describe('the documents', () => {
  it.each(Object.entries(NOT_RUN))('still have what is left out here: %s (%s)', (line) => {
    const first = all.flatMap(({ blocks }) => blocks.map(({ text }) => firstLine(text)));
    expect(first).toContain(line);
  });

  it('S21 pass on an id behind --, for it may begin with a dash', () => {
    const lines = runnable.flatMap(({ blocks }) => blocks.flatMap(({ text }) => text.split('\n')));
    const passing = lines.filter((line) => /\bttctl (?!.*(--[a-z-]+[ =]|-- )"\$).* "\$/.test(line));
    expect(passing).toEqual([]);
    expect(lines.filter((line) => /\bttctl .* -- "\$/.test(line)).length).toBeGreaterThan(4);
  });

  it('S21 have a consumer that recognises a delivery whose id looks like an option', () => {
    const [, script = ''] = /<<'END'\n([\s\S]*?)\nEND\n/.exec(readDocument('docs/webhooks.md')) ?? [];
    const folder = makeFolder();
    for (const id of ['-n', '--version', '-n', '--version', '-e x']) {
      // From a file: the consumer reads nothing of a repeat, and a pipe that nobody reads may break.
      writeFileSync(join(folder, 'body'), id);
      execFileSync('sh', ['-c', 'exec sh -c "$1" < body', 'sh', script], {
        cwd: folder,
        env: { ...process.env, TTCTL_DELIVERY_ID: id },
      });
    }
    expect(readFileSync(join(folder, 'projects.ndjson'), 'utf8')).toBe('-n\n--version\n-e x\n');
  });

  it('say what an exit code means as the table does', () => {
    const codes = DOCUMENTS.flatMap((path) => [...readDocument(path).matchAll(/\bexits? (\d+)\b/g)]);
    expect(codes.filter(([, code = '']) => !(code in EXIT_MEANING)).map(([text]) => text)).toEqual([]);
  });

  it('show texts in Troubleshooting that the source has', () => {
    const [, table = ''] =
      /## Troubleshooting\n([\s\S]*?)\n## /.exec(readDocument('docs/reference.md')) ?? [];
    const shown = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text = '']) => text);
    expect(shown.length).toBeGreaterThan(4);
    const source = execFileSync('grep', ['-rhF', '--include=*.ts', '', `${ROOT}src`], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    expect(
      shown.filter((text) => !source.includes(text) && !source.includes(text.replace("'", "\\'"))),
    ).toEqual([]);
  });
});
