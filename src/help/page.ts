/** A page of help as plain data; `text.ts` sets it for a terminal, `roff.ts` for `man`. */

export type Entry = readonly [term: string, about: string];

export type Block =
  /** Prose, wrapped. */
  | { readonly text: string }
  /** Terms and what they mean. */
  | { readonly entries: readonly Entry[] }
  /** Command lines, one each; nothing of them is lost where they are broken. */
  | { readonly commands: readonly string[] };

export interface Section {
  /** Without a colon; absent: prose of the page itself. */
  readonly title?: string;
  readonly blocks: readonly Block[];
}

export interface Page {
  /** One sentence. */
  readonly lead: string;
  readonly sections: readonly Section[];
}

export const prose = (...texts: readonly string[]): Section => ({ blocks: texts.map((text) => ({ text })) });

export const titled = (title: string, ...blocks: readonly Block[]): Section => ({ title, blocks });

/** Words that stay on one line. */
export const together = (text: string): string => text.replaceAll(' ', '\u00a0');

/** Lower-case phrases begin help; a sentence begins with a capital and ends with a full stop. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
