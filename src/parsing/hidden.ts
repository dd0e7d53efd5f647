import { UsageError } from '../errors.ts';

/**
 * Controls, line and paragraph separators, lone surrogates, and everything that has no glyph of its own
 * (bidi controls, zero-width characters, tags). Left alone are the invisible parts of visible things: the joiner
 * between two pictographs, an emoji's presentation selector, the variant selector of a Han character.
 */
export const HIDDEN = [
  '[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]',
  '(?<!\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?\\u200d(?=\\p{Extended_Pictographic}))',
  '(?<!\\p{Extended_Pictographic}[\\ufe0e\\ufe0f])',
  '(?<![0-9#*]\\ufe0f(?=\\u20e3))',
  '(?<!\\p{Script=Han}[\\u{e0100}-\\u{e01ef}])',
].join('');

/** Made when it is needed, which is seldom. */
let hiddenPattern: RegExp | undefined;
export const getHiddenPattern = (): RegExp => {
  hiddenPattern ??= new RegExp(HIDDEN, 'gu');
  return hiddenPattern;
};

/** Persian and the scripts of India join and part letters with these; in Latin, Greek and Cyrillic names they only hide. */
const JOINERS =
  /(?<=[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}])[\u200c\u200d]/gu;

/**
 * Of an address or a name that somebody gives: two that look the same would be two.
 * @throws UsageError that names the first character that nobody sees
 */
export const checkVisible = (text: string): void => {
  const shown = text.trim();
  const found = /^[\x20-\x7e]*$/.test(shown) ? null : shown.replace(JOINERS, '').match(getHiddenPattern());
  if (found === null) return;
  const code = (found[0]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new UsageError(
    `has a character that cannot be seen (U+${code}) at ${shown.indexOf(found[0] ?? '') + 1}`,
  );
};
