import type { Row } from '../api/page.ts';
import type { NamedKind } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { EXIT, Failure } from '../outcome.ts';
import { findNearest } from '../parsing/names.ts';

/** What somebody probably meant whose name is none. Loaded once one was not found. */

/** So many near names are offered. */
const FEW = 4;

const squeezed = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** Records whose name has a word that begins like the text, or else is a slip of the pen away from it. */
const nearOf = (rows: readonly Row[], text: string, name: (row: Row) => string): readonly Row[] => {
  const wanted = squeezed(text);
  const begins = rows.filter((row) => ` ${squeezed(name(row))}`.includes(` ${wanted}`));
  if (begins.length > 0) return begins.slice(0, FEW);
  const meant = findNearest(
    wanted,
    rows.map((row) => squeezed(name(row))),
  );
  return rows.filter((row) => squeezed(name(row)) === meant).slice(0, FEW);
};

const question = (near: readonly string[]): string =>
  near.length === 0 ? '' : `Did you mean ${near.join(', or ')}?\n`;

/** `Did you mean "Airport signage"?`, and how to see all. */
export const formatNameHint = (rows: readonly Row[], text: string, hint: string): string =>
  `${question(nearOf(rows, text, (row) => toText(row.name)).map((row) => `"${toText(row.name)}" (${toText(row.id)})`))}${hint}`;

const nameOf = (row: Row): string => `${toText(row.firstname)} ${toText(row.lastname)}`.trim();

/** Of a word that stands where a person is named, and is neither an id nor an address. */
export const createNotAPersonError = (
  kind: NamedKind,
  rows: readonly Row[],
  text: string,
  hint: string,
): Failure => {
  const near = nearOf(rows, text, nameOf).map((row) => `${nameOf(row)}: ${toText(row.email)}`);
  return new Failure(`no ${kind} "${text}"`, {
    code: 'not_found',
    exit: EXIT.notFound,
    reason: 'Use an id or e-mail address.',
    hint: `${question(near)}${hint}`,
  });
};
