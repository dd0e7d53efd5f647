/** Keys, and a line of text that is being typed, its cursor at the end. */

export interface ReviewKey {
  /** `up`, `enter`, `escape`, `ctrl-u`, `paste-start`, `paste-end`; of a letter the letter itself. */
  readonly name: string;
  /** What it types: a letter, a space; empty for any other key. */
  readonly text: string;
}

const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** So much is kept of what is typed or pasted. */
const MAX_LENGTH = 500;

/** The text after the key; undefined when the key is no part of typing. */
export const editText = (text: string, { name, text: typed }: ReviewKey): string | undefined => {
  if (name === 'backspace') return graphemes(text).slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.replace(/\S*\s*$/u, '');
  return typed === '' ? undefined : `${text}${typed}`.slice(0, MAX_LENGTH);
};
