import type { Row } from '../api/page.ts';
import type { NamedKind } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { EXIT, Failure } from '../outcome.ts';
import { findNearest } from '../parsing/names.ts';

/** Suggestions for a name that was not found. Loaded only then. */

const MAX_SUGGESTIONS = 4;

const normalize = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** Records whose name has a word that begins with the text; if none, those with the nearest name by edit distance. */
const findNear = (rows: readonly Row[], text: string, name: (row: Row) => string): readonly Row[] => {
  const wanted = normalize(text);
  const begins = rows.filter((row) => ` ${normalize(name(row))}`.includes(` ${wanted}`));
  if (begins.length > 0) return begins.slice(0, MAX_SUGGESTIONS);
  const meant = findNearest(
    wanted,
    rows.map((row) => normalize(name(row))),
  );
  return rows.filter((row) => normalize(name(row)) === meant).slice(0, MAX_SUGGESTIONS);
};

const formatSuggestion = (near: readonly string[]): string =>
  near.length === 0 ? '' : `Did you mean ${near.join(', or ')}?\n`;

/** `Did you mean "Airport signage"?`, and how to see all. */
export const formatNameHint = (rows: readonly Row[], text: string, hint: string): string =>
  `${formatSuggestion(findNear(rows, text, (row) => toText(row.name)).map((row) => `"${toText(row.name)}" (${toText(row.id)})`))}${hint}`;

const formatName = (row: Row): string => `${toText(row.firstname)} ${toText(row.lastname)}`.trim();

/** Of a word that stands where a person is named, and is neither an id nor an address. */
export const createNotAPersonError = (
  kind: NamedKind,
  rows: readonly Row[],
  text: string,
  hint: string,
): Failure => {
  const near = findNear(rows, text, formatName).map((row) => `${formatName(row)}: ${toText(row.email)}`);
  return new Failure(`no ${kind} "${text}"`, {
    code: 'not_found',
    exit: EXIT.notFound,
    reason: 'Use an id, an e-mail address, or a full name.',
    hint: `${formatSuggestion(near)}${hint}`,
  });
};
