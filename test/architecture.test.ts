import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureSources } from '../scripts/house.mjs';
import { loadedWith, SRC } from './support/tree.ts';

/** Imports point down, and sizes have a limit (src/README.md, Rules). Type imports count like any other import. */

const house = measureSources();
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const text = (file: string) => readFileSync(join(SRC, file), 'utf8');
const code = (file: string) => text(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

type Import = (typeof house.imports)[number];
const expectNone = (isWrong: (one: Import) => boolean) =>
  expect(house.imports.filter(isWrong).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
const isOfSandbox = (file: string) => file.startsWith('sandbox');

describe('imports', () => {
  it('point down, from a group to itself and to those below', () => {
    const groups = [
      // Values, failures, disk, requests, settings, sign-ins; what the service offers.
      [
        ...['clock.ts', 'lazy.ts', 'errors.ts', 'error-codes.ts', 'json.ts', 'parsing', 'storage'],
        ...['http', 'config', 'auth', 'api'],
      ],
      // What a run has beside them: answers are printed, questions asked, on this machine.
      ['query', 'output', 'platform', 'version.ts', 'auth/renewal.ts'],
      // What is done, and the commands that do it.
      [
        ...['run.ts', 'chain.ts', 'auth/code-flow.ts', 'sandbox-host', 'doctor', 'webhooks', 'prompts'],
        ...['resources', 'changes', 'decide', 'screen', 'commands', 'cli', 'help', 'completion'],
      ],
      ['bootstrap', 'main.ts', 'renew.ts'],
    ];
    // May be imported from below: types of what a run has, and the names of formats.
    const below = ['output/formats/formats.ts', 'output/list-view.ts'];
    const groupOf = (file: string) => {
      const own = groups.findIndex((group) => group.includes(file));
      return own >= 0 ? own : groups.findIndex((group) => group.includes(file.split('/')[0] ?? ''));
    };
    expect(files.filter((file) => groupOf(file) < 0 && !/^sandbox\/|\.d\.ts$/.test(file))).toEqual([]);
    expect(house.imports.length).toBeGreaterThan(1000);
    expectNone(({ from, to, dynamic }) => {
      const isOurs = to.endsWith('.ts') && !isOfSandbox(from) && !isOfSandbox(to);
      return isOurs && !dynamic && !below.includes(to) && groupOf(to) > groupOf(from);
    });
  });

  it('of the sandbox are none but the table of operations: it shares no rule with the client', () => {
    const shared = /^sandbox\/|^api\/operations\.ts$/;
    expectNone(({ from, to }) => from.startsWith('sandbox/') && to.endsWith('.ts') && !shared.test(to));
  });

  it('lead from the client to the sandbox on demand, and for types', () => {
    expectNone(
      ({ from, to, dynamic, typeOnly }) =>
        to.startsWith('sandbox/') && !isOfSandbox(from) && !dynamic && !typeOnly,
    );
  });

  it('never lead from one noun to another', () => {
    const nounOf = (file: string) => /^commands\/([\w-]+)\//.exec(file)?.[1];
    expectNone(({ from, to }) => (nounOf(from) ?? nounOf(to)) !== (nounOf(to) ?? nounOf(from)));
  });

  it('lead an ordinary command to nothing of OAuth2, and what renews to no command and no output', () => {
    const loaded = new Set([...loadedWith('main.ts'), ...loadedWith('cli/open-run.ts')]);
    expect([...loaded]).toContain('auth/session.ts');
    const oauth = ['auth/code-flow.ts', 'auth/loopback.ts', 'auth/oauth.ts', 'auth/renewal.ts', 'renew.ts'];
    expect(oauth.filter((file) => loaded.has(file) || !files.includes(file))).toEqual([]);
    // With --debug it traces its requests on stderr, and what it shows is made harmless there too.
    const room = /^(commands|output|config|api|changes|sandbox)\b/;
    const traces = ['output/safe-text.ts', 'output/sink.ts', 'output/terminal.ts'];
    expect([...loadedWith('renew.ts')].filter((file) => room.test(file)).sort()).toEqual(traces);
  });

  it('give each package one importing file, types too, and commands none', () => {
    const packages = house.imports.filter(({ to }) => !/^node:|\.ts$/.test(to));
    const users = new Set(packages.map(({ from, to }) => `${to} in ${from}`));
    expect(users.size, [...users].sort().join('\n')).toBe(new Set(packages.map(({ to }) => to)).size);
    expectNone(({ from, to }) => from.startsWith('commands/') && !to.endsWith('.ts'));
    expectNone(({ from, to }) => from.startsWith('api/') && to.startsWith('node:'));
  });
});

describe('the world outside', () => {
  it('is touched in main.ts and the adapters that it builds alone', () => {
    const adapters = {
      'main.ts': 'the composition root',
      'platform/machine.ts': 'the real machine',
      'renew.ts': 'the composition root of the process that renews',
      'bootstrap/entry.ts': 'answers the version by itself',
      'bootstrap/help.ts': 'answers help by itself',
      'bootstrap/complete.ts': 'the composition root of the process that answers a shell',
      'bootstrap/print.ts': 'standard output of what answers and ends',
      'clock.ts': 'lets the event loop turn',
      'storage/own-files.ts': 'asks whose files are ours',
      'storage/write.ts': 'names temporary files after this process',
      'storage/lock.ts': 'asks which processes live, and renews a lock while it is held',
      'sandbox/library.ts': 'the time of a process that is not ours',
    };
    const world =
      /\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bconsole\./;
    expect(files.filter((file) => world.test(code(file)) && !(file in adapters))).toEqual([]);
  });

  it('is left with process.exit at a second signal alone', () => {
    expect(files.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['platform/machine.ts']);
  });
});

describe('the measures of `npm run house`', () => {
  it('hold: a file has 450 lines, the table of operations 500', () => {
    const over = files.filter(
      (file) => text(file).split('\n').length - 1 > (file === 'api/operations.ts' ? 500 : 450),
    );
    expect(over).toEqual([]);
  });

  it('hold: each is a number that only goes down', () => {
    const { names, commander, weak, functions, small, cycles, dynamic } = house;
    expect({ commander, weak, cycles, functions }).toEqual({
      ...{ commander: ['cli/parse.ts'], weak: [], cycles: [], functions: [] },
    });
    expect(small.length, small.join('\n')).toBeLessThanOrEqual(30);
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(4);
    expect(dynamic.length, dynamic.join('\n')).toBeLessThanOrEqual(66);
  });

  it('hold: arguments are spread where they are few, whatever is read; a long list would overflow the stack', () => {
    const few = {
      buildPlannedRequest: 'a tuple',
      planSession: 'a tuple',
      find: 'a tuple',
      'output.record': 'a tuple: a record and its columns',
      'context.output.record': 'a tuple: a record and its columns',
      'win32.join': 'a folder, named in the sources',
      'posix.join': 'a folder, named in the sources',
      commandLine: 'values that a row of the table names',
      orderBy: 'fields, named in the sources',
      run: 'what a person writes between the parentheses of a function',
    };
    expect(house.spread.filter(({ callee }) => !(callee in few))).toEqual([]);
  });
});
