/** A page of help as plain data; `text.ts` sets it. */

export type HelpEntry = readonly [term: string, about: string];

export type HelpBlock =
  | { readonly text: string }
  | { readonly entries: readonly HelpEntry[] }
  /** Command lines, one each; nothing of them is lost where they are broken. */
  | { readonly commands: readonly string[] };

export interface HelpSection {
  /** Without a colon; absent: prose of the page itself. */
  readonly title?: string;
  readonly blocks: readonly HelpBlock[];
}

export interface HelpPage {
  /** One sentence. */
  readonly lead: string;
  readonly sections: readonly HelpSection[];
}

export const createProse = (...texts: readonly string[]): HelpSection => ({
  blocks: texts.map((text) => ({ text })),
});

export const createSection = (title: string, ...blocks: readonly HelpBlock[]): HelpSection => ({
  title,
  blocks,
});

/** Words that stay on one line. */
export const joinUnbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

/** Lower-case phrases begin help; a sentence begins with a capital and ends with a full stop. */
export const toSentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
