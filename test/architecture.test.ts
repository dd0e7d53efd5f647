import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { measureSources } from '../scripts/house.mjs';
import { loadedWith } from './support/tree.ts';

/** Imports point down, and sizes have a limit. Type imports count like any other import. */

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

interface Import {
  readonly from: string;
  /** Path below src, or a package, or `node:…`. */
  readonly to: string;
  readonly dynamic: boolean;
  readonly typeOnly: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => name.replaceAll('\\', '/'));

const text = (file: string): string => readFileSync(join(SRC, file), 'utf8');
const code = (file: string): string =>
  text(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');

const IMPORT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\s+from\s+)?['"]([^'"]+)['"]|(?:await\s+|=>\s*|\(\s*|typeof\s+)import\(\s*['"]([^'"]+)['"]\s*\)/g;

const importsOf = (file: string): Import[] =>
  [...code(file).matchAll(IMPORT)].map((match) => {
    const target = match[3] ?? match[4] ?? '';
    const to = target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
    return { from: file, to, dynamic: match[4] !== undefined, typeOnly: match[2] !== undefined };
  });

const imports = files.flatMap(importsOf);
const inside = imports.filter(({ to }) => to.endsWith('.ts'));
const layerOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : file);

/** From the bottom up: a file imports from its own group and from those below. Within a group there are no cycles of files. */
const GROUPS: readonly (readonly string[])[] = [
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
/** May be imported from below: types of what a run has, and the names of formats. */
const BELOW = new Set(['output/formats/formats.ts', 'output/list-view.ts']);
const groupOf = (file: string): number => {
  const own = GROUPS.findIndex((group) => group.includes(file));
  return own >= 0 ? own : GROUPS.findIndex((group) => group.includes(layerOf(file)));
};

const name = ({ from, to }: Import): string => `${from} → ${to}`;
const nounOf = (file: string): string | undefined => /^commands\/([\w-]+)\//.exec(file)?.[1];

describe('imports', () => {
  it('finds them at all', () => {
    expect(inside.length).toBeGreaterThan(200);
    expect(imports.some(({ dynamic }) => dynamic)).toBe(true);
  });

  it('point down', () => {
    expect(files.filter((file) => groupOf(file) < 0 && layerOf(file) !== 'sandbox')).toEqual([]);
    const wrong = inside.filter(
      ({ from, to, dynamic }) =>
        !from.startsWith('sandbox') &&
        !to.startsWith('sandbox') &&
        !dynamic &&
        !BELOW.has(to) &&
        groupOf(to) > groupOf(from),
    );
    expect(wrong.map(name)).toEqual([]);
  });

  it('of the sandbox are none, but the table of operations: it shares no rule with the client', () => {
    const wrong = inside.filter(
      ({ from, to }) =>
        from.startsWith('sandbox/') && !to.startsWith('sandbox/') && to !== 'api/operations.ts',
    );
    expect(wrong.map(name)).toEqual([]);
  });

  it('never lead from one noun to another', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [a, b] = [nounOf(from), nounOf(to)];
      return a !== undefined && b !== undefined && a !== b;
    });
    expect(wrong.map(name)).toEqual([]);
  });

  it('keep the sandbox away from the client but for dynamic imports and its own roots', () => {
    const wrong = inside.filter(
      ({ from, to, dynamic, typeOnly }) =>
        to.startsWith('sandbox/') && !from.startsWith('sandbox') && !dynamic && !typeOnly,
    );
    expect(wrong.map(name)).toEqual([]);
  });

  it('lead an ordinary command to nothing of OAuth2, and what renews to no command and no output', () => {
    const loaded = new Set([...loadedWith('main.ts'), ...loadedWith('cli/open-run.ts')]);
    expect([...loaded]).toContain('auth/session.ts');
    const oauth = ['auth/code-flow.ts', 'auth/loopback.ts', 'auth/oauth.ts', 'auth/renewal.ts', 'renew.ts'];
    expect(oauth.filter((file) => loaded.has(file) || !files.includes(file))).toEqual([]);
    // With --debug it traces its requests on stderr, and what it shows is made harmless there too.
    const own = ['output/safe-text.ts', 'api/fields.ts'];
    const more = [...loadedWith('renew.ts')].filter((file) => !own.includes(file));
    expect(more.filter((file) => /^(commands|terminal|config|api|bulk|sandbox)\b/.test(file))).toEqual([]);
  });

  it('give each package one importing file, types too, and commands none', () => {
    const users = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (to.endsWith('.ts') || to.startsWith('node:')) continue;
      users.set(to, (users.get(to) ?? new Set()).add(from));
    }
    for (const [used, from] of users) expect([...from].slice(1), used).toEqual([]);
    const packaged = [...users].filter(([, from]) => [...from].some((file) => file.startsWith('commands/')));
    expect(packaged.map(([used]) => used)).toEqual([]);
    const builtIn = imports.filter(
      ({ from, to }) => /^(commands|bulk|api)\//.test(from) && to.startsWith('node:'),
    );
    expect(builtIn.map(name)).toEqual([]);
  });
});

/** What only `src/main.ts` and the adapters that it builds may touch. */
const WORLD =
  /\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bconsole\./;
const ADAPTERS: Readonly<Record<string, string>> = {
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

describe('the world outside', () => {
  it('is touched in main.ts and named adapters alone', () => {
    const wrong = files.filter((file) => WORLD.test(code(file)) && ADAPTERS[file] === undefined);
    expect(wrong).toEqual([]);
  });

  it('is left with process.exit at a second signal alone', () => {
    expect(files.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['platform/machine.ts']);
  });
});

/** Rooms that are larger than the measure, with the reason. */
const LARGER: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  'api/operations.ts': [500, 'the table: a row for each operation'],
};

const linesOf = (file: string): number => text(file).split('\n').length - 1;

/** Calls whose spread arguments are few, whatever is read: all others would overflow the stack for a long list. */
const FEW_ARGUMENTS: Readonly<Record<string, string>> = {
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

/** Exported names with more than one meaning. */
const NAMES = 4;
/** Imports on demand: a resource, a noun, a subsystem or a package that most commands have no use for. */
const DYNAMIC = 66;

describe('measures', () => {
  it('hold: a file has 450 lines', () => {
    const over = files.filter((file) => linesOf(file) > (LARGER[file]?.[0] ?? 450));
    expect(over.map((file) => `${file}: ${linesOf(file)}`)).toEqual([]);
  });

  it('of the sources hold: each a number that only goes down', () => {
    const { names, commander, weak, spread, functions, small, cycles, dynamic } = measureSources();
    expect(commander).toEqual(['cli/parse.ts']);
    // What is known of a thing stands in its record, and hangs on no object of others.
    expect(weak).toEqual([]);
    expect(cycles).toEqual([]);
    expect(spread.filter(({ callee }) => FEW_ARGUMENTS[callee] === undefined)).toEqual([]);
    expect(functions).toEqual([]);
    expect(small.length, small.join('\n')).toBeLessThanOrEqual(30);
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(NAMES);
    expect(dynamic.length, dynamic.join('\n')).toBeLessThanOrEqual(DYNAMIC);
  });
});
