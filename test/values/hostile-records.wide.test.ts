import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RECORDS } from '../../src/api/records.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { words } from '../support/in-process.ts';
import { readsList } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Any JSON in any field of any record ends no command: it is shown as JSON where it has no words of its own, and no
 * value that JavaScript would call by a name of its own (`toString`) is asked for it.
 */

/** Of every record of the service, so that each command meets a field that it knows. */
const FIELDS = [...new Set(Object.values(RECORDS).flatMap((fields) => Object.keys(fields)))];

const HOSTILE = [
  ...['{"toString":1}', '{"toString":null,"valueOf":{"toString":1}}'],
  ...['{"toJSON":1,"length":3,"then":1}', '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3}'],
  ...['[{"toString":1},[],{},null]', '[{"leave_type":{"toString":1},"balance":{"toString":1}},null,7]'],
  '{"id":{"toString":1},"name":{"toString":1},"days":{"toString":1},"hours":[],"email":[]}',
  ...['[[[[[[]]]]]]', '{}', '[]'],
  ...['null', 'true', 'false', '0', '-0', '-17.5', '1e400', '-1e400', '1e-400', '48.60'],
  ...['9007199254740993', '123456789012345678.99', '""', '" "', '"NaN"', '"-1e999"'],
  ...['"\\u0000\\u001b[2J\\u200b\\u202e\\ud800"', '"0000-99-99"', '"2026-11-20T99:99:99Z"'],
  JSON.stringify('x'.repeat(10_000)),
  `${'['.repeat(150)}${']'.repeat(150)}`,
];

const ORDINARY = [
  ...['17', '8', 'true', 'null', '"7.50"', '"ana@example.com"', '"Ana"', '"Airport signage"', '"2026-11-20"'],
  ...['"2026-11-20T09:00:00Z"', '"submitted"', '"pending"', '"active"'],
];

const value = fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom(...ORDINARY), fc.json({ maxDepth: 3 }));

/** A record as text: most of the fields, the id an ordinary one as often as not. */
const record = fc
  .record({
    values: fc.array(value, { minLength: FIELDS.length, maxLength: FIELDS.length }),
    id: fc.oneof(fc.constant('17'), value),
    left: fc.array(fc.nat(FIELDS.length), { maxLength: 20 }),
  })
  .map(({ values, id, left }) => {
    const members = FIELDS.flatMap((name, i) =>
      name === 'id' || left.includes(i) ? [] : [`${JSON.stringify(name)}:${values[i]}`],
    );
    return `{${[`"id":${id}`, ...members].join(',')}}`;
  });

let rows: readonly string[] = [];
const t = useCli({
  shared: true,
  service: (request) => {
    const data = readsList(request) ? `[${rows.join(',')}]` : (rows[0] ?? 'null');
    return { body: `{"success":true,"message":"OK","data":${data},"meta":{}}` };
  },
});

it.each(
  [
    ...(await leaves()).flatMap(({ command }) => (command.operation === undefined ? [] : command.examples)),
    // What the examples do not have.
    'ttctl inbox',
    'ttctl inbox --kind leave --member ana@example.com',
    'ttctl workspaces use Ana',
    'ttctl members list -w "Airport signage"',
    'ttctl auth status',
    'ttctl members get ana@example.com',
    'ttctl members archive ana@example.com 17',
    'ttctl projects archive "Airport signage"',
    'ttctl timesheets approve 17',
    'ttctl timesheets approve --all',
    'ttctl tasks list --project "Airport signage"',
    'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31',
    'ttctl api GET /members',
    'ttctl api GET /members --paginate',
    'ttctl expenses create --name Taxi --date 2026-11-20 --amount 48.60 --category Ana --project "Airport signage"',
    ...['members', 'contracts', 'leaves', 'timesheets', 'expenses', 'projects', 'time-requests'].flatMap(
      (noun) => [
        `ttctl ${noun} list --sort status,id:desc --columns id,status,user_id,total.days,rate`,
        `ttctl ${noun} list --group-by status,user_id --sum rate --sum id`,
        `ttctl ${noun} list --query "[?id > \`1\`].{id: id, a: status, s: to_string(rate)} | sort_by(@, &to_string(id))"`,
        `ttctl ${noun} list --query "[].[id, rate, to_number(rate), type(status)]"`,
      ],
    ),
  ].filter((line) => !/\.(csv|json)\b|\| | -$|--from-file|--watch/.test(line)),
)('a record with any JSON in any field ends no command: %s', async (line) => {
  const [, ...all] = words(line);
  const plain = all.filter((word, i) => !/^--(output|json)$/.test(word) && all[i - 1] !== '--output');
  const takesFormat = !/--query|\bapi\b/.test(line);
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...FORMAT_NAMES),
      async (records, format) => {
        rows = records;
        const args = [...plain, '--yes', ...(takesFormat ? ['--output', format] : [])];
        const { stdout, stderr, exit } = await t.run(args);
        const said = `${args.join(' ')}\n${stderr.slice(0, 2000)}`;
        expect(exit, said).not.toBe(1);
        expect(stderr, said).not.toContain('"unexpected"');
        expect(stdout + stderr, said).not.toContain('[object ');
      },
    ),
    { numRuns: Number(process.env['TTCTL_HOSTILE_RUNS'] ?? 6) },
  );
});
