/** Not with `=` in front: zsh reads that as the path of a program. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** What a terminal would not show as it is: a shell is told it by its bytes. */
const isHidden = (word: string): boolean =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(word);

const octal = (word: string): string =>
  [...new TextEncoder().encode(word)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A word as `sh` and its kin read it: for command lines that people copy. */
export const shellWord = (word: string): string => {
  if (isHidden(word)) return `"$(printf '${octal(word)}')"`;
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
};
