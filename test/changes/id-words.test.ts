import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allOperations, operations } from '../../src/api/operations.ts';
import { checkIdParameter } from '../../src/api/plan.ts';
import { findKindOfNoun, isNamedKind } from '../../src/api/records.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** Words that can be no id are refused before anything is asked of anybody; whatever may be one is not. */

let service: Recorder;
beforeEach(async () => {
  service = await startRecorder(() => ({ body: envelope([]) }));
});
afterEach(() => service.close());

const run = (line: string, stdin?: string) =>
  runInProcess(line.split(' '), { env: serviceEnv(service), ...(stdin === undefined ? {} : { stdin }) });

/** Every command that takes records by id alone. */
const BY_ID = ['expenses delete', 'webhooks delete', 'contracts archive', 'tasks archive --project 5'];
const BY_NAME = [
  'timesheets approve',
  'timesheets submit',
  'timesheets unsubmit',
  'leaves approve',
  'time-requests approve',
  'members archive',
  'members restore',
  'viewers archive',
  'viewers restore',
  'viewers assign --project 5',
  'projects archive',
];

const withTargets = (command: string, targets: string): string => {
  const [noun, verb, ...flags] = command.split(' ');
  return [noun, verb, targets, ...flags].join(' ');
};

describe.each([...BY_ID, ...BY_NAME])('%s', (command) => {
  it.each(['ID', 'id', '#'])('refuses the argument %s, with no --yes too', async (word) => {
    for (const yes of ['', ' --yes', ' --dry-run']) {
      const { exit, stderr, stdout } = await run(`${withTargets(command, word)}${yes}`);
      expect([exit, stdout, service.lines()]).toEqual([2, '', []]);
      expect(stderr).toContain(`"${word}"`);
    }
  });

  it('refuses comments and the heading of a table on stdin, with their lines', async () => {
    const { exit, stderr, stdout } = await run(
      `${withTargets(command, '-')} --yes`,
      'ID\n17\n\n# comment\n18\n',
    );
    expect([exit, stdout, service.lines()]).toEqual([2, '', []]);
    expect(stderr).toContain('error: stdin has 2 mistakes; nothing was sent\n');
    expect(stderr).toMatch(/^ {2}stdin:1: "ID" (cannot be|is a comment or a heading)/m);
    expect(stderr).toMatch(/^ {2}stdin:4: "# comment" (cannot be|is a comment or a heading)/m);
  });

  it('refuses them in a file, with their lines', async () => {
    const { exit, stderr, stdout } = await run(`${command} --from-file - --yes`, 'id\n17\n# comment\nID\n');
    expect([exit, stdout, service.lines()]).toEqual([2, '', []]);
    expect(stderr).toMatch(/^ {2}stdin:3: "# comment" /m);
    expect(stderr).toMatch(/^ {2}stdin:4: "ID" /m);
  });
});

describe.each(BY_ID)('%s', (command) => {
  it('refuses a name, and says how the id is found', async () => {
    for (const word of ['samir', 'Mei-Lin', 'Mei Tanaka']) {
      const { exit, stderr } = await run(`${withTargets(command, '-')} --yes`, `${word}\n`);
      expect([exit, service.lines()]).toEqual([2, []]);
      expect(stderr).toContain(`stdin:1: "${word}" cannot be the id of `);
      expect(stderr).toContain(`hint: Find the id with: ttctl ${command.split(' ')[0]} list`);
    }
  });
});

/** What reads one record that has no name. */
const READS = allOperations.flatMap(({ id, noun, method, path, parameters }) => {
  const kind = findKindOfNoun(noun);
  if (method !== 'GET' || !path.includes('{') || (kind !== undefined && isNamedKind(kind))) return [];
  return [`${id.replace('.', ' ')}${'project_id' in parameters ? ' --project 5' : ''}`];
});

describe.each([
  ...READS,
  'contracts update --rate 1',
  'tasks update --project 5 --title A',
  'tasks assign --project 5 --member 17',
])('%s of one record', (command) => {
  it.each(['samir', 'ID', '#1'])('refuses %s before any request', async (word) => {
    const { exit, stderr } = await run(withTargets(command, word));
    expect([exit, service.lines()]).toEqual([2, []]);
    expect(stderr).toContain(`"${word}" cannot be the id of `);
  });
});

describe('a whole table that is piped', () => {
  it('is refused for each of its lines', async () => {
    const table = 'ID    MEMBER  HOURS\n17    Mei     40\n8c1f  Samir   12\n';
    const { exit, stderr } = await run('timesheets approve - --yes', table);
    expect([exit, service.lines()]).toEqual([2, []]);
    expect(stderr.match(/cannot be the id of a timesheet/g)).toHaveLength(3);
  });

  it('as CSV too', async () => {
    const { exit, stderr } = await run('timesheets approve - --yes', 'id,user_id\n17,105\n');
    expect(exit).toBe(2);
    expect(stderr.match(/cannot be the id of a timesheet/g)).toHaveLength(2);
  });
});

/** What services of this family give: numbers, UUIDs, base64url, prefixed, ULID, hexadecimal. */
const ALPHABETS = {
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  ulid: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  hex: '0123456789abcdef',
};
const made = (alphabet: string, length: number) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((characters) => characters.join(''))
    // What is punctuation alone is no id of anybody.
    .filter((id) => /[A-Za-z0-9]/.test(id));

describe('ids', () => {
  it('that are random texts are never refused', () => {
    const ids = fc.oneof(
      fc.uuid(),
      fc.nat().map(String),
      made(ALPHABETS.base64url, 21),
      made(ALPHABETS.base64url, 22).map((id) => `r${id}`),
      made(ALPHABETS.ulid, 26),
      made(ALPHABETS.hex, 24),
      made(ALPHABETS.base64url, 6).map((id) => `ts_${id}`),
      fc.nat().map((n) => `T-${n}`),
    );
    fc.assert(
      fc.property(ids, (id) => {
        for (const operation of [operations.timesheets.approve, operations.leaves.reject]) {
          const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
          checkIdParameter(id, { name, operation, commandLine });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('that are numbers take every whole number, however long', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (id) => {
        checkIdParameter(String(id), {
          name: 'contractId',
          operation: operations.contracts.get,
          commandLine,
        });
      }),
    );
  });

  it('are sent as they were written', async () => {
    await run('timesheets approve kQ 17 ts_abc jRkQwX 00000 --yes');
    const paths = service.lines().filter((line) => line.startsWith('PUT'));
    expect(paths.map((line) => line.split('?')[0])).toEqual([
      'PUT /timesheets/kQ/approve',
      'PUT /timesheets/17/approve',
      'PUT /timesheets/ts_abc/approve',
      'PUT /timesheets/jRkQwX/approve',
      'PUT /timesheets/00000/approve',
    ]);
  });
});
