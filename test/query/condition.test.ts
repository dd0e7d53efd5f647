import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RECORDS, type RecordName } from '../../src/api/records.ts';
import { UsageError } from '../../src/errors.ts';
import { compileCondition } from '../../src/query/condition.ts';
import { Undecided, UnknownValue } from '../../src/query/run.ts';
import { getConditionFields, getJoins, type JoinName, listJoinNames } from '../../src/resources/joins.ts';

const getRowFields = (record: RecordName, options: { readonly warnings?: readonly string[] }) =>
  getConditionFields(listJoinNames(Object.keys(getJoins(record))), RECORDS[record], options.warnings);

/** `--where` and rules: JMESPath that missing data leave undecided. */

const compile = (text: string, record: RecordName = 'timesheet') =>
  compileCondition(text, {
    where: '--where',
    fields: getRowFields(record, { warnings: ['on_leave', 'over_weekly_limit'] }),
  });

const test = async (text: string, row: object, record?: RecordName) => {
  const verdict = (await compile(text, record)).test(row);
  return verdict instanceof Undecided ? 'undecided' : verdict;
};

it.each([
  // What JMESPath alone holds to be true.
  'total_hours < `50`',
  '!(total_hours > `60`)',
  'total_hours < `50` || `true`',
  '`true` || total_hours < `50`',
  "status == 'submitted' || total_hours >= `1`",
  'not_null(total_hours > `1`, `true`)',
  'length([?`1` < `2`]) == `0` || total_hours > `1`',
  '[total_hours > `1`, `true`] | [1]',
  'contains(status, reject_reason)|| length(reject_reason) > `0`',
  'member.weekly_hours_limit < `40` || `true`',
  'total_hours - `1` < `50`',
  '`10` / (`1` - `1`) > `3`',
  // Another type at run time.
  'submitted_on > date_from',
])('missing data never choose: %s', async (text) => {
  const row = {
    ...{ status: 'submitted', total_hours: null, reject_reason: null, submitted_on: 5 },
    ...{ date_from: '2026-11-09', member: { weekly_hours_limit: null } },
  };
  expect(await test(text, row)).toBe('undecided');
});

it('what is missing is said', async () => {
  const verdict = (await compile('member.weekly_hours_limit < total_hours')).test({ total_hours: 5 });
  expect(String(verdict)).toContain(
    'member.weekly_hours_limit (null) and total_hours (a number) cannot be ordered',
  );
});

it.each([
  ['warnings == `[]`', 'undecided'],
  ['`true` || length(warnings) == `0`', 'undecided'],
  ["status == 'submitted'", true],
])('nor does what could not be found out choose: %s', async (text, verdict) => {
  const row = { status: 'submitted', warnings: new UnknownValue('the leave balances could not be read') };
  expect(await test(text, row)).toBe(verdict);
});

it.each([
  ['total_hours == null', {}, true],
  ['total_hours != null', {}, false],
  ['member == null', { member: null }, true],
  ["date_from >= '2026-11-09'", { date_from: '2026-11-09' }, true],
  ["contains(warnings, 'on_leave')", { warnings: ['on_leave'] }, true],
  ['warnings == `[]`', { warnings: [] }, true],
  [
    "member.role == 'Owner' && record.status == 'open'",
    { member: { role: 'Owner' }, record: { status: 'open' } },
    true,
  ],
] as const)('%s is decided of %o', async (text, row, verdict) => {
  expect(await test(text, row)).toBe(verdict);
});

it.each([
  'total_hours > 40',
  "total_hours > 'forty'",
  'status > `5`',
  'total_hours',
  "contains(total_hours, 'a')",
  'length(total_hours) > `1`',
  'member.rol == `1`',
  'status ==',
  'max_by(warnings) == `1`',
  '&status',
  'status == true',
  "contains(warnings, 'over_limit')",
  "member.role == 'Regular users'",
  '',
])('wrong usage before a record is there: %s', async (text) => {
  await expect(compile(text)).rejects.toThrow(UsageError);
});

it.each([
  ["policy != 'Annual leave'", 'policy.name', "policy.name != 'Annual leave'"],
  ["@.policy == 'Annual leave'", 'policy.name', "@.policy.name == 'Annual leave'"],
  ["member < 'ana@example.com'", 'member.email', "member.email < 'ana@example.com'"],
  ['`12` != member', 'member.id', '`12` != member.id'],
  ["!contains(['Annual leave'], policy)", 'policy.name', "!contains(['Annual leave'], policy.name)"],
  ["contains(policy, 'Annual')", 'policy.name', "contains(policy.name, 'Annual')"],
  ['policy != status', 'policy.name', 'policy.name != status'],
  ["policy != 'no policy'", 'policy.name', undefined],
])('a record is not compared with a text: %s', async (text, field, corrected) => {
  await expect(compile(text, 'leave')).rejects.toMatchObject({
    message: `--where: ${field.split('.')[0]} is a record: compare ${field}`,
    exit: 2,
    hint: corrected && `Write: ${corrected}`,
  });
  if (corrected !== undefined) await compile(corrected, 'leave');
});

it('two types are not told apart by !=', async () => {
  await expect(compile("[policy][0] != 'Annual leave'", 'leave')).rejects.toMatchObject({
    reason: 'an object and a string cannot be compared',
  });
  expect(await test("note != 'x'", { note: 5 }, 'leave')).toBe('undecided');
  expect(await test("note != 'x'", { note: null }, 'leave')).toBe(true);
  expect(await test("user_id == 'a-1'", { user_id: 'a-1' }, 'leave')).toBe(true);
});

it.each(Object.keys(RECORDS) as RecordName[])(
  'fields of %s compare as in JavaScript, and are undecided without a value',
  async (record) => {
    // Of fields with words of their own another word is refused.
    const isPlain = ({ type, values }: { type: string; values?: unknown }) =>
      /^(string|number|integer)$/.test(type) && values === undefined;
    const fields = Object.entries(getRowFields(record, {})).flatMap(([name, field]) => {
      const inner = name === 'record' ? {} : (field.fields ?? {});
      const all = [
        [name, field] as const,
        ...Object.entries(inner).map(([key, one]) => [`${name}.${key}`, one] as const),
      ];
      return all.flatMap(([path, one]) => (isPlain(one) ? [{ path, isText: one.type === 'string' }] : []));
    });
    if (fields.length === 0) return;
    const number = fc.integer({ min: -3, max: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fields),
        fc.constantFrom('<', '<=', '>', '>=', '==', '!='),
        number,
        fc.option(number),
        async ({ path, isText }, operator, right, left) => {
          const toValue = (value: number) => (isText ? String.fromCharCode(104 + value) : value);
          const literal = isText ? `'${toValue(right)}'` : `\`${right}\``;
          const value = left === null ? null : toValue(left);
          const [head = '', key] = path.split('.');
          const row = { [head]: key === undefined ? value : { [key]: value } };
          const verdict = await test(`${path} ${operator} ${literal}`, row, record);
          const order = Math.sign((left ?? 0) - right);
          const signs = { '<': [-1], '<=': [-1, 0], '>': [1], '>=': [0, 1], '==': [0], '!=': [-1, 1] }[
            operator
          ];
          if (value !== null) expect(verdict).toBe(signs.includes(order));
          else expect(verdict).toBe(operator === '==' || operator === '!=' ? operator === '!=' : 'undecided');
        },
      ),
      { numRuns: 60 },
    );
  },
);

it('a rule refuses a name that no record has, where that is known', async () => {
  const fields = getRowFields('timesheet', {});
  const attempt = compileCondition('totl_hours == null', { where: '"when"', fields, closed: true });
  await expect(attempt).rejects.toMatchObject({ hint: 'Did you mean total_hours?' });
  const quoted = compileCondition('status == "submitted"', { where: '"when"', fields, closed: true });
  await expect(quoted).rejects.toMatchObject({ hint: "Text goes in single quotes: 'submitted'" });
});

it('a condition tells which joined records it names', async () => {
  const names = (await compile("member.role == 'Owner' && project_id == `1` || policy.name == 'y'", 'leave'))
    .names;
  expect([...names].sort()).toEqual(['member.role', 'policy.name', 'project_id']);
  const whole = (await compile('member == null', 'leave')).names;
  expect([...whole]).toEqual(['member' satisfies JoinName]);
});

it('a condition out of proportion to a row is wrong usage', async () => {
  const hostile = `length([${'total_hours, '.repeat(30)}total_hours] | ${Array(6).fill('[*].[@, @][]').join(' | ')}) > \`0\``;
  const reason = expect.stringContaining('too many steps');
  await expect(compile(hostile)).rejects.toMatchObject({ exit: 2, code: 'bad_condition', reason });
  await expect(compile('['.repeat(9_000))).rejects.toMatchObject({
    reason: 'the expression is nested too deeply',
  });
});
