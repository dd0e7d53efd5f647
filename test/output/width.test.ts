import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { measureFor } from '../../src/output/layout.ts';

const PARTS = [
  'a',
  '1',
  '#',
  'é',
  'e\u0301',
  '日本',
  'ひ',
  'カ゛',
  '한국',
  'ᄀ',
  'ᅡ',
  'ที่',
  'שָׁלוֹם',
  'नमस्ते',
  '👩‍💻',
  '👍🏽',
];
const MARKS = ['🇵🇹', '1\ufe0f\u20e3', '❤️', '\u0301', ' ', 'ﬁ', 'Ａ', '葛\u{e0100}'];

it('a text measured in pieces has the width of the whole', async () => {
  const measure = await measureFor(['é']);
  const texts = fc
    .array(fc.constantFrom(...PARTS, ...MARKS), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => void expect(measure(text)).toBe(stringWidth(text))),
    { numRuns: 2000 },
  );
});
