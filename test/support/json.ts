import fc from 'fast-check';

/** JSON texts, made as text: so that what a number was written as is known. */

/** Numbers as JSON may write them, most of them such that a JavaScript number has other digits. */
export const numberTokens = (): fc.Arbitrary<string> => {
  const digits = (max: number) =>
    fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: max });
  const whole = fc.oneof(
    fc.constant('0'),
    digits(25).map((found) => found.join('').replace(/^0+(?=.)/, '')),
  );
  const fraction = fc.oneof(
    fc.constant(''),
    digits(20).map((found) => `.${found.join('')}`),
  );
  const exponent = fc.oneof(
    { arbitrary: fc.constant(''), weight: 4 },
    fc
      .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(500))
      .map((parts) => parts.join('')),
  );
  const made = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map((parts) => parts.join(''));
  const known = fc.constantFrom(
    '9007199254740993',
    '48.60',
    '1e400',
    '-0',
    '12345678901234567890',
    '1.50',
    '1E5',
  );
  return fc.oneof(made, known);
};

export interface JsonDocument {
  readonly text: string;
  /** The same with no space between the tokens. */
  readonly compact: string;
}

const join = (open: string, parts: readonly JsonDocument[], close: string, space: string): JsonDocument => ({
  text: `${open}${space}${parts.map(({ text }) => text).join(`${space},${space}`)}${space}${close}`,
  compact: `${open}${parts.map(({ compact }) => compact).join(',')}${close}`,
});

/** Documents of any shape, with numbers of any spelling. No object has a name twice, nor one that reorders them. */
export const jsonDocuments = (): fc.Arbitrary<JsonDocument> =>
  fc.letrec<{ value: JsonDocument }>((tie) => {
    const space = fc.constantFrom('', ' ', '\n', '\t \r\n');
    const scalar = fc
      .oneof(
        numberTokens(),
        fc.constantFrom('true', 'false', 'null'),
        fc.string({ unit: 'binary' }).map(quote),
      )
      .map((text) => ({ text, compact: text }));
    const array = fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([items, gap]) => join('[', items, ']', gap));
    const name = fc.string({ unit: 'binary' }).filter((text) => !/^\d+$/.test(text));
    const record = fc
      .tuple(
        fc.uniqueArray(name, { maxLength: 4 }),
        fc.array(tie('value'), { minLength: 4, maxLength: 4 }),
        space,
      )
      .map(([names, values, gap]) => {
        const members = names.map((key, at) => {
          const { text = '0', compact = '0' } = values[at] ?? {};
          return { text: `${quote(key)}${gap}:${gap}${text}`, compact: `${quote(key)}:${compact}` };
        });
        return join('{', members, '}', gap);
      });
    return { value: fc.oneof({ maxDepth: 4 }, scalar, array, record) };
  }).value;

const quote = (text: string): string => JSON.stringify(text);
