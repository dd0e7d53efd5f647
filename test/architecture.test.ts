import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { measureSources } from '../scripts/house.mjs';
import { FORMAT_NAMES } from '../src/output/formats/formats.ts';
import { ROLES } from '../src/resources/member.ts';

/** Allowed imports, and the maximum size of a folder (src/README.md). Type imports count like any other import. */

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
/** What is true of a record is data; how it is shown and looked up, in folders of their own, is a layer above. */
const layerOf = (file: string): string => {
  if (/^resources\/[\w-]+\//.test(file)) return 'resources/*';
  if (file.startsWith('help/entry/')) return 'help/entry';
  return file.includes('/') ? (file.split('/')[0] ?? '') : file;
};

/** The formats of stdout as data; a writer is loaded when it writes. */
const FORMAT_TABLE = 'output/formats/formats.ts';

/** A layer, and what it may import beside itself. With a slash at its end it is a whole layer, else one file. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Numbers by their digits, bounded depth: below everything that reads or writes JSON.
  json: [],
  // What is true of each record: data, below all that uses it.
  resources: ['json/'],
  'resources/*': ['resources/', 'api/', 'context.ts', 'json/', 'parsing/', 'outcome.ts'],
  api: [
    'json/',
    'resources/',
    'http/transport.ts',
    'http/wire.ts',
    'clock.ts',
    'lazy.ts',
    'parsing/',
    'outcome.ts',
  ],
  http: ['json/', 'outcome.ts', 'clock.ts', 'parsing/'],
  storage: ['json/', 'outcome.ts', 'clock.ts', 'parsing/'],
  config: ['json/', 'storage/', 'outcome.ts', 'clock.ts', 'parsing/', FORMAT_TABLE],
  auth: ['json/', 'storage/', 'http/transport.ts', 'outcome.ts', 'clock.ts', 'context.ts', 'parsing/'],
  'rate-limit': ['storage/', 'http/pacing.ts', 'clock.ts'],
  // The review screen: keys make a state from a state, a state makes lines.
  inbox: ['output/', 'review.ts', 'lazy.ts', 'outcome.ts'],
  // What waits for a decision, and what is known around it: read through the operations, judged by pure functions.
  pending: [
    'api/',
    'resources/',
    'query/',
    'context.ts',
    'review.ts',
    'json/',
    'parsing/',
    'lazy.ts',
    'outcome.ts',
  ],
  // JMESPath: queries on what is printed, conditions on what is chosen.
  query: ['json/', 'resources/', 'parsing/', 'outcome.ts'],
  // What keeps a period from being closed: pure functions of records that were read.
  close: ['api/page.ts', 'pending/', 'resources/', 'json/', 'parsing/', 'outcome.ts'],
  output: [
    'json/',
    'query/',
    'parsing/',
    'lazy.ts',
    'context.ts',
    'http/transport.ts',
    'api/page.ts',
    'outcome.ts',
    'clock.ts',
  ],
  // Pure: what a spreadsheet cell was, what the limits leave to a run, days.
  changes: [
    'api/',
    'resources/',
    'resources/*/',
    'context.ts',
    'parsing/',
    'outcome.ts',
    'json/',
    'lazy.ts',
    'clock.ts',
    'output/spreadsheet-cell.ts',
    'output/formats/delimited.ts',
    'storage/',
    'rate-limit/ledger.ts',
  ],
  commands: [
    'json/',
    'parsing/',
    'doctor/places.ts',
    'review.ts',
    'api/',
    'changes/',
    'pending/',
    'query/',
    'close/',
    'clock.ts',
    'context.ts',
    'resources/',
    'resources/*/',
    'cli/command.ts',
    'cli/flag.ts',
    'cli/invocation.ts',
    'outcome.ts',
    'error-codes.ts',
    'completion/',
    'http/transport.ts',
    'config/command-line.ts',
    'config/settings.ts',
    // What a sign-in is, and when it ends: types, and pure dates.
    'auth/service.ts',
    'auth/credentials.ts',
    'auth/sign-in.ts',
    'webhooks/',
    // The files of a workspace's folder.
    'output/formats/delimited.ts',
  ],
  // The receiver knows the disk and rows, and starts commands on this machine.
  webhooks: [
    'json/',
    'storage/',
    'outcome.ts',
    'api/page.ts',
    'parsing/',
    'context.ts',
    'output/errors.ts',
    'output/safe-text.ts',
    'platform/',
  ],
  // The completing process reads settings, a cache, the sandbox's file, journals of jobs; the build, all commands.
  completion: [
    'cli/',
    'commands/',
    'help/topics.ts',
    'resources/',
    'json/',
    'api/',
    'http/transport.ts',
    'config/',
    'storage/',
    'changes/job/record.ts',
    'output/safe-text.ts',
    'sandbox/dialect.ts',
    'sandbox/seeds/seed.ts',
    'sandbox/world.ts',
    'parsing/',
    'clock.ts',
    'outcome.ts',
  ],
  // One redactor: what is secret in a request is so in the sandbox's log too.
  sandbox: [
    'json/',
    // The names of commands, which a fault may be added by.
    'api/operations.ts',
    'http/redact.ts',
    'lazy.ts',
    'outcome.ts',
    'clock.ts',
    'parsing/',
  ],
  // A command is a record: what the records are, where they are loaded from, and how a line is read with them.
  cli: ['api/operation.ts', 'commands/', 'context.ts', 'parsing/', 'outcome.ts', FORMAT_TABLE],
  // What the program, its commands and its settings are, in words.
  help: [
    'cli/',
    'commands/',
    'config/',
    'api/',
    'parsing/',
    'rate-limit/ledger.ts',
    'outcome.ts',
    'error-codes.ts',
    FORMAT_TABLE,
  ],
  // Asks for what a command line leaves out: knows the commands, and is loaded when something is missing.
  prompts: [
    'resources/',
    'resources/*/',
    'json/',
    'api/',
    'changes/job/job-rows.ts',
    'cli/command.ts',
    'cli/flag.ts',
    'cli/invocation.ts',
    'commands/',
    'context.ts',
    'lazy.ts',
    'outcome.ts',
    'parsing/',
    'webhooks/rows.ts',
  ],
  // Types only: the codes that errors can have.
  'outcome.ts': ['error-codes.ts'],
  'error-codes.ts': [],
  'clock.ts': [],
  // The files that Node is started with: the version and help by themselves, else the program.
  bootstrap: ['main.ts', 'config/environment.ts', 'help/', 'completion/'],
  'lazy.ts': [],
  // Types only: what a person decides on at the review screen.
  'review.ts': [],
  // Types only: what a command is handed.
  'context.ts': [
    'resources/',
    'json/number.ts',
    'doctor/places.ts',
    'changes/exit-notices.ts',
    'review.ts',
    'api/',
    'auth/credentials.ts',
    'auth/service.ts',
    'changes/job/store.ts',
    'config/store.ts',
    'config/settings-types.ts',
    'http/transport.ts',
    'parsing/',
    'outcome.ts',
    'sandbox/service.ts',
    'output/list-view.ts',
    'platform/machine.ts',
  ],
  // Days, lengths of time, addresses, ids, names: as people write and read them.
  parsing: ['json/', 'resources/', 'context.ts', 'outcome.ts'],
};

/** Join layers; nothing but other roots imports them. */
const ROOTS = new Set([
  'main.ts',
  'version.ts',
  'renew.ts',
  'runtime',
  'platform',
  'sandbox-host',
  'doctor',
  'help/entry',
]);

const nounOf = (file: string): string | undefined => /^commands\/([\w-]+)\//.exec(file)?.[1];

describe('imports', () => {
  it('finds them at all', () => {
    expect(inside.length).toBeGreaterThan(200);
    expect(imports.some(({ dynamic }) => dynamic)).toBe(true);
  });

  it('stay within the layers that are allowed', () => {
    const wrong = inside.filter(({ from, to }) => {
      const layer = layerOf(from);
      if (ROOTS.has(layer) || layer === layerOf(to)) return false;
      const allowed = ALLOWED[layer] ?? [];
      return !allowed.some((name) => (name.endsWith('/') ? `${layerOf(to)}/` === name : to === name));
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('are told by a table in src/README.md', () => {
    const row = ([layer, allowed]: [string, readonly string[]]): string => {
      const name = layer.endsWith('.ts') ? layer : `${layer}/`;
      return `| \`${name}\` | ${allowed.map((other) => `\`${other}\``).join(', ') || 'nothing'} |`;
    };
    const table = [
      '| module | may import, besides itself |',
      '|---|---|',
      ...Object.entries(ALLOWED).map(row),
    ];
    const page = join(SRC, 'README.md');
    const known = readFileSync(page, 'utf8');
    const region = /(<!-- generated: imports -->\n)[\s\S]*?(\n<!-- end -->)/;
    const current = known.replace(region, (_, head, foot) => `${head}${table.join('\n')}${foot}`);
    expect(known).toMatch(region);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(page, current);
    else expect(known, 'run: npm run docs').toBe(current);
  });

  it('know every file at the top', () => {
    const top = files.filter((file) => !file.includes('/'));
    expect(top.filter((file) => !ROOTS.has(file) && ALLOWED[file] === undefined)).toEqual([]);
  });

  it('never lead from one noun to another', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [a, b] = [nounOf(from), nounOf(to)];
      return a !== undefined && b !== undefined && a !== b;
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('bring a noun the columns of its own resource, and no reconciler', () => {
    const folderIn = (file: string): readonly string[] =>
      /^resources\/([\w-]+)\//.exec(file)?.slice(1, 2) ?? [];
    const loadedBy = (root: string): readonly string[] => {
      const seen = new Set([root]);
      for (const file of seen) {
        const next = inside.filter(({ from, dynamic, typeOnly }) => from === file && !dynamic && !typeOnly);
        for (const { to } of next) seen.add(to);
      }
      return [...seen];
    };
    const lists = files.filter((file) => /^commands\/[\w-]+s\.ts$/.test(file));
    const foldersOf = (root: string) => [...new Set(loadedBy(root).flatMap(folderIn))].sort();
    expect(foldersOf('commands/members.ts')).toEqual(['display', 'member']);
    const many = lists.filter((list) => foldersOf(list).filter((name) => name !== 'display').length > 1);
    const reconciled = lists.filter((list) =>
      loadedBy(list).some((file) => file.endsWith('/reconcilers.ts')),
    );
    expect([...many, ...reconciled]).toEqual([]);
    // What every command loads, and what answers a shell, has nothing of them.
    for (const root of ['main.ts', 'runtime/open-context.ts', 'bootstrap/complete.ts'])
      expect(foldersOf(root)).toEqual([]);
  });

  it('keep the sandbox away from the client but for dynamic imports and its own roots', () => {
    const wrong = inside.filter(
      ({ from, to, dynamic, typeOnly }) =>
        to.startsWith('sandbox/') && !from.startsWith('sandbox') && !dynamic && !typeOnly,
    );
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('give each package one importing file, types too, and commands none', () => {
    const users = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (to.endsWith('.ts') || to.startsWith('node:')) continue;
      users.set(to, (users.get(to) ?? new Set()).add(from));
    }
    for (const [name, from] of users) expect([...from].slice(1), name).toEqual([]);
    const packaged = [...users].filter(([, from]) => [...from].some((file) => file.startsWith('commands/')));
    expect(packaged.map(([name]) => name)).toEqual([]);
    const builtIn = imports.filter(
      ({ from, to }) => /^(commands|bulk|api)\//.test(from) && to.startsWith('node:'),
    );
    expect(builtIn.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });
});

/** What only `src/main.ts` and the adapters that it builds may touch. */
const WORLD =
  /\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bconsole\./;
const ADAPTERS: Readonly<Record<string, string>> = {
  'main.ts': 'the composition root',
  'platform/this-machine.ts': 'the real machine',
  'platform/machine.ts': 'time and chance of this machine',
  'renew.ts': 'the composition root of the process that renews',
  'bootstrap/entry.ts': 'answers the version and the help by itself',
  'bootstrap/complete.ts': 'the composition root of the process that answers a shell',
  'bootstrap/print.ts': 'standard output of what answers and ends',
  'clock.ts': 'lets the event loop turn',
  'storage/own-files.ts': 'asks whose files are ours',
  'storage/holder.ts': 'asks which processes live, for the lock',
  'storage/lock.ts': 'renews a lock while it is held',
  'sandbox/library.ts': 'the time of a process that is not ours',
};

describe('the world outside', () => {
  it('is touched in main.ts and named adapters alone', () => {
    const wrong = files.filter((file) => WORLD.test(code(file)) && ADAPTERS[file] === undefined);
    expect(wrong).toEqual([]);
  });

  it('is left with process.exit at a second signal alone', () => {
    expect(files.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['platform/this-machine.ts']);
  });
});

/** Rooms that are larger than the measure, with the reason. */
const LARGER: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  'api/operations.ts': [500, 'the table: a row for each operation'],
};

const linesOf = (file: string): number => text(file).split('\n').length - 1;

describe('the formats of stdout', () => {
  it('are named in their table alone: what differs between them stands in their records', () => {
    // `Pick<Redactor, 'json'>` and `body['ids']` name members, `name: 'json'` a flag.
    const literal = new RegExp(
      `(?<!Pick<\\w+, |\\w\\[|(?:name|value): )['"\`](${FORMAT_NAMES.join('|')})['"\`]`,
    );
    const naming = files.filter((file) => literal.test(code(file)));
    expect(naming).toEqual([]);
  });
});

/** These read or serve the sandbox's own state, whose rules are written apart; the last gives an example. */
const ROLE_NAMING = [/^sandbox\//, /^completion\/world\.ts$/, /^query\/condition\.ts$/];

it('the roles of people are named with the resource of a member alone', () => {
  const literal = new RegExp(`['"\`](?:${ROLES.join('|')})['"\`]`);
  const naming = files.filter((file) => literal.test(code(file)));
  expect(naming.filter((file) => !ROLE_NAMING.some((own) => own.test(file)))).toEqual([
    'resources/member.ts',
  ]);
});

/** Calls whose spread arguments are few, whatever is read: all others would overflow the stack for a long list. */
const FEW_ARGUMENTS: Readonly<Record<string, string>> = {
  buildPlannedRequest: 'a tuple',
  checkFilters: 'a tuple',
  requireFilterOrLimit: 'a tuple',
  planSession: 'a tuple',
  find: 'a tuple',
  'log?.end': 'a tuple',
  'output.record': 'a tuple: a record and its columns',
  'context.output.record': 'a tuple: a record and its columns',
  'win32.join': 'a folder, named in the sources',
  'posix.join': 'a folder, named in the sources',
  orderBy: 'fields, named in the sources',
  run: 'what a person writes between the parentheses of a function',
};

/** Exported names with more than one meaning. */
const NAMES = 6;

describe('measures', () => {
  it('hold: a file has 450 lines', () => {
    const over = files.filter((file) => linesOf(file) > (LARGER[file]?.[0] ?? 450));
    expect(over.map((file) => `${file}: ${linesOf(file)}`)).toEqual([]);
  });

  it('of the sources hold: each a number that only goes down', () => {
    const { names, commander, weak, spread, functions, small, cycles } = measureSources();
    expect(commander).toEqual(['cli/commander.ts']);
    // What is known of a thing stands in its record, and hangs on no object of others.
    expect(weak).toEqual([]);
    expect(cycles).toEqual([]);
    expect(spread.filter(({ callee }) => FEW_ARGUMENTS[callee] === undefined)).toEqual([]);
    // The one that joins what a command is handed.
    expect(functions.filter((place) => !/^runtime\/open-context\.ts/.test(place))).toEqual([]);
    expect(small.length, small.join('\n')).toBeLessThanOrEqual(30);
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(NAMES);
  });

  it('have no leftovers, no barrels but an index of a noun, no default exports', () => {
    const todo = files.filter((file) => /\b(TODO|FIXME|XXX)\b/.test(text(file)));
    const barrels = files.filter((file) => /export \* from/.test(code(file)));
    const defaults = files.filter((file) => /export default/.test(code(file)));
    const indexes = files.filter(
      (file) => /(^|\/)index\.ts$/.test(file) && !/^commands\/[\w-]+\/index\.ts$/.test(file),
    );
    const vague = files.filter((file) => /utils?|helpers?|common|manager/i.test(relative('', file)));
    expect([...todo, ...barrels, ...defaults, ...indexes, ...vague]).toEqual([]);
  });
});
