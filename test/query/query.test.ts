import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { compileQuery } from '../../src/query/run.ts';

/** `--query`: what the specification of JMESPath says, with its own examples and those of its compliance suite. */

const search = async (expression: string, data: unknown): Promise<unknown> =>
  (await compileQuery(expression))(data);

const given = {
  ...{ foo: -1, zero: 0, str: 'Str', false: false, null_key: null, empty_list: [], empty_hash: {} },
  ...{ numbers: [-1, 3, 4, 5], array: [-1, 3, 4, 5, 'a', '100'], decimals: [1.01, 1.2, -1.5] },
  ...{ strings: ['a', 'b', 'c'], objects: { foo: 'bar', bar: 'baz' } },
  people: [
    { age: 20, age_str: '20', bool: true, name: 'a', extra: 'foo' },
    { age: 40, age_str: '40', bool: false, name: 'b', extra: 'bar' },
    { age: 30, age_str: '30', bool: true, name: 'c' },
    { age: 50, age_str: '50', bool: false, name: 'd' },
    { age: 10, age_str: '10', bool: true, name: 3 },
  ],
};

it.each<[string, unknown]>([
  ['foo + `3` * `2`', 5],
  ['(foo + `3`) * `2`', 4],
  ['`0.1` + `0.2`', 0.3],
  ['`7` / `2` - -foo', 2.5],
  ['array[5] - `1`', 99],
  ["starts_with(str, 'St')", true],
  ["starts_with(str, 'String')", false],
  // Again later in the text.
  ["starts_with('nora@lindenhof.example', 'n')", true],
  ["ends_with(str, 'r')", true],
  ["ends_with('anna', 'a')", true],
  ["ends_with('a', 'aa')", false],
  ["contains('abc', 'd')", false],
  ["contains('a1', `1`)", false],
  ['contains(decimals, `1.2`)', true],
  ['contains(`[{"id": 1}]`, `{"id": 1}`)', true],
  ["join(', ', strings)", 'a, b, c'],
  ["join('|', empty_list)", ''],
  ["length('a😀')", 2],
  ["reverse('a😀b')", 'b😀a'],
  ['reverse(numbers)', [5, 4, 3, -1]],
  ['to_string(`1.2`)', '1.2'],
  ['to_string(`[0, 1]`)', '[0,1]'],
  ["to_number('-1e2')", -100],
  ["to_number('0x10')", null],
  ["to_number('notanumber')", null],
  ['to_number(`false`)', null],
  // An argument that begins with the value itself.
  ['length(@.strings)', 3],
  ['length(@.strings[0])', 1],
  ['contains(@.strings, @.strings[1])', true],
  ['not_null(@[0], str)', 'Str'],
  ['not_null(@.empty_list && foo, zero)', []],
  ['strings[?length(@) == length(@ | @)]', ['a', 'b', 'c']],
  ["join('(@.a', @.strings)", 'a(@.ab(@.ac'],
  ['not_null("(@.a", `"(@.b"`)', '(@.b'],
  ['length(@.strings)\r\n  .type(@)', 'number'],
  ['abs(foo)', 1],
  ['avg(numbers)', 2.75],
  ['avg(empty_list)', null],
  ['ceil(decimals[0])', 2],
  ['floor(decimals[2])', -2],
  ['keys(objects)', ['foo', 'bar']],
  ['values(objects)', ['bar', 'baz']],
  ['length(objects)', 2],
  ['map(&@, `[1, null]`)', [1, null]],
  ['max(numbers)', 5],
  ['max(`["a", "B"]`)', 'a'],
  ['min(decimals)', -1.5],
  ['min(`["a", "B"]`)', 'B'],
  ['merge(objects, `{"foo": 1}`)', { foo: 1, bar: 'baz' }],
  ['not_null(unknown_key, null_key, str)', 'Str'],
  ['sort(`[10, 9, 1]`)', [1, 9, 10]],
  ['sum(decimals)', 0.71],
  ['to_array(foo)', [-1]],
  ['type(null_key)', 'null'],
  ['type(`false`)', 'boolean'],
  ['max_by(people, &age_str).name', 'd'],
  ['min_by(people, &age_str).name', 3],
  ['max_by(`[]`, &age)', null],
  ['sort_by(people, &age)[].age', [10, 20, 30, 40, 50]],
  ['sort_by(people, &to_string(bool))[].name', ['b', 'd', 'a', 'c', 3]],
  ['map(&extra, people)', ['foo', 'bar', null, null, null]],
  // The rest of an expression.
  ['constructor', null],
  ['objects.toString', null],
  ['numbers[-1]', 5],
  ['numbers[9]', null],
  ['numbers[1:3]', [3, 4]],
  ['numbers[::-1]', [5, 4, 3, -1]],
  ['numbers[:-9:-2]', [5, 3]],
  ['objects.*', ['bar', 'baz']],
  ['{a: foo, b: str}', { a: -1, b: 'Str' }],
  ['[foo, str]', [-1, 'Str']],
  ['unknown.[a, b]', null],
  ['empty_list || str', 'Str'],
  ['empty_hash && str', {}],
  ['!zero', false],
  ["array[?@ == 'a']", ['a']],
  ['numbers[?@ > `3`] | [0]', 4],
  ['`[[1], [2, [3]], 4]`[]', [1, 2, [3], 4]],
  ["str == 'Str' && !null_key", true],
  ["'2026-03-02' > '2026-02-28'", true],
  ["`3` > '2'", null],
  ['objects == `{"bar": "baz", "foo": "bar"}`', true],
])('as the specification says: %s', async (expression, value) => {
  const found = await search(expression, given);
  if (typeof value === 'number') expect(found).toBeCloseTo(value);
  else expect(found).toEqual(value);
});

it.each([
  ['abs(str)', 'argument 1 of abs() must be number, not string'],
  ["join(',', numbers)", 'argument 2 of join() must be array of strings, not array'],
  ["starts_with(foo, 'a')", 'argument 1 of starts_with() must be string, not number'],
  ['sort_by(array, &@)', 'only numbers or strings can be sorted, not string and number'],
])('%s says what is wrong', async (expression, reason) => {
  await expect(search(expression, given)).rejects.toMatchObject({ code: 'bad_query', reason });
});

it.each(['nope(@)', '[?nope(a)]', 'foo.', 'numbers[', 'length(a, b)', 'not_null()', '&foo'])(
  '%s is refused before anything is read',
  async (expression) => {
    await expect(compileQuery(expression)).rejects.toBeInstanceOf(UsageError);
  },
);

const doubled = (part: string, times: number): string => Array(times).fill(part).join(' | ');

it.each([
  ['its result', doubled('[@, @]', 40)],
  ['a text', `'abcdefgh' | ${doubled("join('', [@, @])", 40)}`],
  ['its steps', `[@] | ${doubled('[*].[@, @][]', 40)}`],
  ['comparisons', `${doubled('[@, @]', 12)} | ${doubled('[@ == @, @][1]', 400)}`],
  ['texts of values', `${doubled('[@, @]', 12)} | ${doubled('[to_string(@), @][1]', 400)}`],
  ['its length', `'${'x'.repeat(10_000)}'`],
  ['its depth', '['.repeat(9_000)],
])('an expression out of proportion to its data is wrong usage: %s', async (_what, expression) => {
  await expect(search(expression, given)).rejects.toMatchObject({
    exit: 2,
    code: 'bad_query',
    reason: expect.stringMatching(/too many steps|more than 10,000 characters|nested too deeply/),
  });
});

it('an expression out of proportion to its data is not one that looks at every row of a long list several times', async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `n${id}`,
    hours: id % 50,
    tags: ['a', 'b'],
  }));
  const expression =
    "[?hours > `10` && contains(tags, 'a')] | sort_by(@, &name) | [*].{id: id, tags: join(',', tags)}";
  expect(await search(expression, rows)).toHaveLength(15_600);
});
