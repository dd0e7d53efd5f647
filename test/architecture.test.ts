import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { measureSources } from '../scripts/house.mjs';
import { FORMAT_NAMES } from '../src/terminal/formats/formats.ts';

/** Who may import whom, and how large a room may be (src/README.md). Types count like any other import. */

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
  return file.includes('/') ? (file.split('/')[0] ?? '') : file;
};

/** The formats of stdout as data; a writer is loaded when it writes. */
const FORMAT_TABLE = 'terminal/formats/formats.ts';

/** A layer, and what it may import beside itself. With a slash at its end it is a whole layer, else one file. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Numbers by their digits, bounded depth: below everything that reads or writes JSON.
  json: [],
  // What is true of each record: data, below all that uses it.
  resources: ['json/'],
  'resources/*': ['resources/', 'api/', 'context.ts', 'json/', 'notation/', 'outcome.ts'],
  api: [
    'json/',
    'resources/',
    'http/transport.ts',
    'http/retry-after.ts',
    'lazy.ts',
    'notation/shell-word.ts',
    'outcome.ts',
  ],
  http: ['json/', 'outcome.ts', 'clock.ts', 'notation/'],
  disk: ['json/', 'outcome.ts', 'clock.ts', 'notation/'],
  config: ['json/', 'disk/', 'outcome.ts', 'clock.ts', 'notation/', FORMAT_TABLE],
  auth: ['json/', 'disk/', 'http/transport.ts', 'outcome.ts', 'clock.ts', 'context.ts', 'notation/'],
  limits: [
    'disk/',
    'http/pace.ts',
    'http/budget.ts',
    'http/queue.ts',
    'http/interrupt.ts',
    'clock.ts',
    'outcome.ts',
  ],
  terminal: [
    'json/',
    'notation/',
    'lazy.ts',
    'review.ts',
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
    'notation/',
    'outcome.ts',
    'json/',
    'terminal/spreadsheet-cell.ts',
    'limits/windows.ts',
  ],
  commands: [
    'json/',
    'notation/',
    'doctor/finding.ts',
    'review.ts',
    'api/',
    'changes/',
    'context.ts',
    'resources/',
    'resources/*/',
    'cli/command.ts',
    'cli/flag.ts',
    'cli/invocation.ts',
    'outcome.ts',
    'completion/',
    'http/transport.ts',
    'config/command-line.ts',
    // What a sign-in is, and when it ends: types, and pure dates.
    'auth/desk.ts',
    'auth/credentials.ts',
    'auth/expiry.ts',
    'webhooks/desk.ts',
  ],
  // Text that came is written down and shown elsewhere: the receiver knows the disk, and rows.
  webhooks: ['json/', 'disk/', 'lazy.ts', 'outcome.ts', 'clock.ts', 'api/page.ts', 'notation/'],
  // The completing process is a bundle of its own: reads settings, a cache, the sandbox's file, journals of jobs.
  completion: [
    'resources/',
    'json/',
    'api/',
    'http/transport.ts',
    'config/',
    'disk/',
    'changes/job/record.ts',
    'terminal/safe-text.ts',
    'sandbox/world.ts',
    'notation/',
    'clock.ts',
    'outcome.ts',
  ],
  // One redactor: what is secret in a request is so in the sandbox's log too.
  sandbox: [
    'json/',
    'api/',
    'http/transport.ts',
    'http/redact.ts',
    'lazy.ts',
    'outcome.ts',
    'clock.ts',
    'notation/',
  ],
  // A command is a record: what the records are, where they are loaded from, and how a line is read with them.
  cli: ['api/operation.ts', 'commands/', 'context.ts', 'notation/', 'outcome.ts', FORMAT_TABLE],
  // What the program, its commands and its settings are, in words.
  help: [
    'cli/',
    'commands/',
    'config/',
    'api/',
    'notation/',
    'limits/windows.ts',
    'outcome.ts',
    FORMAT_TABLE,
  ],
  // Asks for what a command line leaves out: knows the commands, and is loaded when something is missing.
  asking: [
    'resources/',
    'resources/*/',
    'json/',
    'api/',
    'changes/job/listing.ts',
    'cli/command.ts',
    'cli/flag.ts',
    'cli/invocation.ts',
    'commands/',
    'context.ts',
    'lazy.ts',
    'outcome.ts',
    'notation/',
  ],
  'outcome.ts': [],
  'clock.ts': [],
  // The files that Node is started with: they find the parts of the built program.
  start: ['config/paths.ts', 'disk/folders.ts', 'disk/trust.ts', 'completion/'],
  'lazy.ts': [],
  // Types only: what a person decides on at the review screen.
  'review.ts': [],
  // Types only: what a command is handed.
  'context.ts': [
    'resources/',
    'json/number.ts',
    'doctor/finding.ts',
    'changes/parting.ts',
    'review.ts',
    'api/',
    'auth/credentials.ts',
    'auth/desk.ts',
    'changes/job/desk.ts',
    'config/store.ts',
    'config/settings-types.ts',
    'http/transport.ts',
    'notation/shell-word.ts',
    'outcome.ts',
    'sandbox/service.ts',
    'terminal/list-view.ts',
    'webhooks/desk.ts',
  ],
  // Days, lengths of time, addresses, ids, names: as people write and read them.
  notation: ['json/', 'resources/', 'context.ts', 'outcome.ts'],
};

/** Join layers; nothing but other roots imports them. */
const ROOTS = new Set([
  'main.ts',
  'version.ts',
  'renew.ts',
  'open',
  'host',
  'sandbox-host',
  'doctor',
  'aside',
  'prebuilt',
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

  it('bring a list the columns of its own resource, and no reconciler', () => {
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
    const lists = files.filter((file) => /^commands\/[\w-]+\/list\.ts$/.test(file));
    const foldersOf = (root: string) => [...new Set(loadedBy(root).flatMap(folderIn))].sort();
    expect(foldersOf('commands/members/list.ts')).toEqual(['display', 'member']);
    const many = lists.filter((list) => foldersOf(list).filter((name) => name !== 'display').length > 1);
    const reconciled = lists.filter((list) =>
      loadedBy(list).some((file) => file.endsWith('/reconcilers.ts')),
    );
    expect([...many, ...reconciled]).toEqual([]);
    // What every command loads, and what answers a shell, has nothing of them.
    for (const root of ['main.ts', 'open/open.ts', 'start/complete.ts']) expect(foldersOf(root)).toEqual([]);
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

/** What only `main.ts` and the adapters that it builds may touch. */
const WORLD =
  /\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bconsole\./;
const ADAPTERS: Readonly<Record<string, string>> = {
  'main.ts': 'the composition root',
  'host/this-machine.ts': 'the real machine',
  'host/hang-up.ts': 'asks who started this process',
  'host/real-clock.ts': 'time and chance of this machine',
  'renew.ts': 'the composition root of the process that renews',
  'start/entry.ts': 'answers the version and the help by itself',
  'start/start-part.ts': 'finds the parts and the cache',
  'start/complete.ts': 'the composition root of the process that answers a shell',
  'sandbox/page/board/script.ts': 'a text that runs in browsers',
  'http/proxied.ts': 'lets undici take its turn',
  'disk/user.ts': 'asks whose files are ours',
  'disk/holder.ts': 'asks which processes live, for the lock',
  'sandbox/library/own-clock.ts': 'the time of a process that is not ours',
};

describe('the world outside', () => {
  it('is touched in main.ts and named adapters alone', () => {
    const wrong = files.filter((file) => WORLD.test(code(file)) && ADAPTERS[file] === undefined);
    expect(wrong).toEqual([]);
  });

  it('is never left with process.exit', () => {
    expect(files.filter((file) => /process\.exit\(/.test(code(file)))).toEqual([]);
  });
});

/** Rooms that are larger than the measure, with the reason. */
const LARGER: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  'context.ts': [340, 'types only: all that a command may be handed'],
  'sandbox/library/types.ts': [480, 'types only: what the library ships as one file'],
  'api/operations.ts': [410, 'the table: a row for each operation'],
  'commands/profile/set.ts': [78, 'a flag for each setting'],
};

const definesCommand = (file: string): boolean =>
  nounOf(file) !== undefined && /\b(define|decision)Command\(/.test(code(file));

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

/** Functions of more than 40 lines stand in these files alone, with the reason. */
const LONG: Readonly<Record<string, string>> = {
  'api/operations.ts': 'rows of the table: a resource with many operations',
  'open/open.ts': 'joins all that a command is handed',
  'open/service.ts': 'joins session, chain and client, which need each other',
  'changes/input/sheet.ts': 'reads rows as they come',
};
const LONG_FUNCTIONS = 6;

/** Exported names with more than one meaning. */
const NAMES = 156;

describe('measures', () => {
  it('hold: a command file 60 lines, others 200', () => {
    const over = files.filter((file) => {
      const most = LARGER[file]?.[0] ?? (definesCommand(file) ? 60 : 200);
      return linesOf(file) > most;
    });
    expect(over.map((file) => `${file}: ${linesOf(file)}`)).toEqual([]);
  });

  it('of the sources hold: each a number that only goes down', () => {
    const { names, commander, weak, functions, small, cycles } = measureSources();
    expect(commander).toEqual(['cli/commander.ts']);
    // What is known of a thing stands in its record, and hangs on no object of others.
    expect(weak).toEqual([]);
    expect(cycles).toEqual([]);
    const over = functions.filter((place) => LONG[place.split(':')[0] ?? ''] === undefined);
    expect(over).toEqual([]);
    expect(functions.length, functions.join('\n')).toBeLessThanOrEqual(LONG_FUNCTIONS);
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
