import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../src/help/page.ts';
import { loadTopicPage } from '../../src/help/topics.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { DOCUMENTS, sectionsOf } from '../support/documents.ts';
import { expectLogged, expectOneRun, readLog } from '../support/event-log.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { keepsWrites } from '../support/service.ts';
import { argsOf, commandOf, leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** What holds for every command: help, examples, dry run, formats, secrets. */

const all = await leaves();
const examples = all.flatMap(({ path, command }) => command.examples.map((line) => [path, line] as const));

it.each([
  [
    'members get',
    ['members get -h', 'help members get', 'members help get', 'members get --limit x --limit 2 -o no -h'],
  ],
  ['members', ['members -h', 'help members', 'members help']],
  ['sandbox clock', ['help sandbox clock', 'sandbox help clock', 'sandbox clock help', 'sandbox clock -h']],
  ['sandbox clock set', ['help sandbox clock set', 'sandbox clock help set', 'sandbox help clock set']],
])('help of %s is asked for in every usual way, and wins over what is wrong', async (page, ways) => {
  const { stdout } = await runInProcess([...words(page), '--help']);
  for (const line of ways) expect(await runInProcess(words(line)), line).toMatchObject({ stdout, exit: 0 });
});

describe('examples', () => {
  it('have no backtick in double quotes that is not escaped', async () => {
    // In double quotes a shell would run what backticks enclose.
    const isRun = (line: string) => /"(?:[^"`\\]|\\.)*`/.test(line.replace(/'[^']*'(?=\s|$)/g, ''));
    expect(isRun('ttctl inbox --where "warnings != `[]`"')).toBe(true);
    const commands = (await Promise.all(TOPICS.map(({ name }) => loadTopicPage(name))))
      .flatMap((page) => page.join('\n').split('\n'))
      .filter((line) => line.startsWith('$ '));
    const blocks = DOCUMENTS.flatMap((path) => sectionsOf(path).flatMap((one) => one.blocks));
    const shell = blocks.filter(({ language }) => ['sh', 'console'].includes(language));
    const lines = [
      ...examples.map(([, line]) => line),
      ...commands,
      ...shell.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('ttctl '))),
    ];
    expect(lines.length).toBeGreaterThan(300);
    expect(lines.filter(isRun)).toEqual([]);
  });

  it.each(examples)('%s: %s', async (path, line) => {
    expect(line).not.toMatch(/ -\w\b/);
    expect(await commandOf(argsOf(line))).toBe(path);
  });
});

const operational = all.flatMap(({ path, command }) =>
  command.operation === undefined ? [] : command.examples.map((line) => [path, line] as const),
);

describe('against a service', () => {
  const SECRET = 'sbx_pat_canary-0123456789abcdef';
  const secrets = { token: SECRET, invitation_link: SECRET };
  const ana = { id: 17, email: 'ana@example.com', firstname: 'Ana', url: 'https://x', ...secrets };
  const t = useCli({
    service: keepsWrites(ana, [{ ...ana, user_id: 17, total_hours: 8 }]),
    env: { TTCTL_TOKEN: SECRET },
    shared: true,
  });

  it.each(operational)('%s lets no write leave under --dry-run: %s', async (_path, line) => {
    const before = t.sent().length;
    const { exit, stdout, stderr } = await t.run([...argsOf(line), '--dry-run', '--json']);
    expect(stderr).not.toContain('"error"');
    expect([exit, t.sent().length]).toEqual([0, before]);
    JSON.parse(stdout);
  });

  it.each(operational)(
    '%s has every request in its log, no secret there or under --debug: %s',
    async (_path, line) => {
      // O16: the token of the environment, then that which a command prints and says.
      const vault = t.file('vault', SECRET);
      const work = { base_url: t.baseUrl, token_command: `cat ${vault} >&2; cat ${vault}` };
      t.file('config/settings.json', JSON.stringify({ version: 1, profiles: { default: work } }));
      for (const token of [SECRET, '']) {
        const env = { TTCTL_TOKEN: token };
        const before = t.requests.length;
        const file = t.file('log.ndjson');
        rmSync(file, { force: true });
        const { exit, stderr } = await t.run([...argsOf(line), '--yes', '--debug', '--log', file], { env });
        const lines = readLog(file);
        expectOneRun(lines, exit);
        expectLogged(lines, t.requests.slice(before));
        expect(stderr).toContain('authorization');
        expect(stderr + t.text('log.ndjson')).not.toContain('canary');
      }
    },
  );

  it.each(FORMAT_NAMES)('prints %s that parses, for every command', async (format) => {
    for (const [path, line] of operational) {
      const { stdout, exit, stderr } = await t.run([...argsOf(line), '--yes', '--output', format]);
      expect(exit, `${path}: ${stderr}`).toBe(0);
      if (format === 'json') JSON.parse(stdout);
      if (format === 'ndjson') for (const text of stdout.split('\n').filter(Boolean)) JSON.parse(text);
      if (format === 'csv' || format === 'tsv') expect(stdout.split(/\r?\n/).length, path).toBeGreaterThan(1);
    }
  });
});
