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

let hiddenPattern: RegExp | undefined;
export function getHiddenPattern(): RegExp {
  hiddenPattern ??= new RegExp(HIDDEN, 'gu');
  return hiddenPattern;
}

/** Persian and the scripts of India join and part letters with these; in Latin, Greek and Cyrillic names they only hide. */
const JOINERS =
  '(?<=[^\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}])[\\u200c\\u200d]';

/**
 * Of an address or a name that somebody gives: two that look the same would be two.
 * @throws UsageError that names the first character that nobody sees
 */
export function checkVisible(text: string): void {
  const shown = text.trim();
  if (/^[\x20-\x7e]*$/.test(shown)) return;
  const found = shown.replace(new RegExp(JOINERS, 'gu'), '').match(getHiddenPattern());
  if (found === null) return;
  const code = (found[0]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new UsageError(
    `has a character that cannot be seen (U+${code}) at ${shown.indexOf(found[0] ?? '') + 1}`,
  );
}

/** @throws UsageError for what is no whole number, or very large */
export function parseCount(flag: string, text: unknown): number {
  if (!/^\d{1,9}$/.test(String(text))) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
}

/** An underscore within a word is no markup. */
const MARKUP = /[\\|`*~[\]<]|(?<!\w)_|_(?!\w)/g;

/** What GitHub and others make a link or a mention of, however it is escaped: addresses, `@name`. */
const LIVE = /((?:(?<![a-z0-9])www\.|[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s`|]+|(?<![a-z0-9])@[a-z0-9][\w./-]*)/i;

/**
 * A text as Markdown that shows exactly this text. Addresses and mentions become code: nothing else keeps them from being
 * live, and they can still be copied.
 */
export function escapeMarkdown(text: string): string {
  const escapeMarks = (part: string): string => part.replaceAll('&', '&amp;').replace(MARKUP, '\\$&');
  return text
    .split(LIVE)
    .map((part, i) => (i % 2 === 0 ? escapeMarks(part) : `\`${part}\``))
    .join('');
}

/** How many bytes are read of one text that comes from outside: stdin, files that are named, answers. */
export const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_SIZE = '64 MiB';

/** Rows of a file, targets on stdin. The service takes 150 requests a minute: so many are more than two hours. */
export const MAX_ROWS = 20_000;

/** Characters of a word, a cell or a heading that an error repeats: more tells nobody more, and may be a secret. */
const MAX_REPEATED = 40;

export function shortenText(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_REPEATED + 1)];
  return characters.length > MAX_REPEATED ? `${characters.slice(0, MAX_REPEATED - 1).join('')}…` : text;
}

export function quoteText(text: string): string {
  return `"${shortenText(text)}"`;
}

function computeDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

export function findNearest(word: string, words: readonly string[]): string | undefined {
  const maxDistance = Math.max(2, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, distance: computeDistance(word.slice(0, 50), candidate) }))
    .sort((one, other) => one.distance - other.distance);
  if (best === undefined || best.distance > maxDistance || best.distance >= best.candidate.length)
    return undefined;
  // Half of a short word says little: "ls" is "list", but "nope" is not "open".
  const isSimilar = best.distance < 2 || word.length > 4 || word[0] === best.candidate[0];
  return isSimilar ? best.candidate : undefined;
}

export function foldCase(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * For people: a run of blanks is one space. In a row of a table or a label it would look like the gap before the next
 * column, so that a name could say what hours there are.
 */
export function collapseBlanks(text: string): string {
  return text.replace(/[\p{Zs}\u2800]{2,}/gu, ' ');
}

/** `hostname` as `URL` gives it: lower case, IPv4 in four numbers, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function findUrlProblem(url: URL | undefined): string | undefined {
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'is not a web address';
  return url.username !== '' || url.password !== '' ? 'contains a user name or password' : undefined;
}

/** Why a text cannot be the root of a service, as the end of a sentence; `undefined` where it can. */
export function findAddressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem = findUrlProblem(url) ?? (/[?#]/.test(text) ? 'has a "?" or "#" part' : undefined);
  const isOpen = url?.protocol === 'http:' && !isLoopback(url.hostname);
  return problem ?? (isOpen ? 'must begin with https://' : undefined);
}

export function normalizeAddress(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * Why no browser can be sent back to an address at which this machine waits for it, as the end of a sentence; `undefined`
 * where one can. RFC 6749, 3.1.2
 */
export function findLoopbackRedirectProblem(text: string): string | undefined {
  // Printable ASCII without spaces: it is compared and repeated to the letter, also in a header.
  const url = /^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) return 'is not on this machine';
  if (text.includes('#')) return 'has a "#" part';
  return findUrlProblem(url) ?? (url.port === '0' ? 'needs a fixed port, not 0' : undefined);
}

export const REDIRECT_HINT =
  'Register an address such as http://127.0.0.1:8484/callback (or localhost, or [::1]) at the service, and pass it with --redirect-uri.';
