import { createHash } from 'node:crypto';
import { isRecord } from '../json/number.ts';
import { parseJson, STORED_DEPTH } from '../json/parse.ts';
import { stringifyJson, toText } from '../json/stringify.ts';
import type { UsageError } from '../outcome.ts';
import { MAX_ROWS } from './input-limits.ts';

/**
 * A file of JSON lines: a head, then a line for each row. The checksum in the head is of all other bytes. It shows
 * damage and edits; it is no signature.
 */

export interface SealedHead {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** What such a file is. */
export interface SealedKind<Head extends SealedHead> {
  /** With an indefinite article `a`. */
  readonly noun: string;
  /** Member of its head that has the version, which is 1. */
  readonly version: string;
  readonly isHead: (value: unknown) => value is Head;
  readonly createError: (place: string, message: string, reason?: string) => UsageError;
}

const CHECKSUM = /,"sha256":"([0-9a-f]{64})"\}$/;

/** @param head its line without the checksum */
const computeChecksum = (head: string, body: string): string =>
  createHash('sha256').update(`${head}\n${body}`).digest('hex');

/** @param head has `rows` last */
export const formatSealedLines = (head: object, rows: readonly unknown[]): string => {
  const body = rows.map((row) => `${stringifyJson(row)}\n`).join('');
  const line = stringifyJson(head);
  return `${line.slice(0, -1)},"sha256":"${computeChecksum(line, body)}"}\n${body}`;
};

const parseLine = (line: string): unknown => {
  const parsed = parseJson(line, { strict: true, depth: STORED_DEPTH });
  return 'value' in parsed ? parsed.value : undefined;
};

/** @throws UsageError for what is no such file of this version */
const parseHead = <Head extends SealedHead>(line: string, file: string, kind: SealedKind<Head>): Head => {
  const head = parseLine(line);
  const { noun, version, isHead, createError } = kind;
  if (!isRecord(head) || head[version] === undefined)
    throw createError(file, `not a ${noun}`, 'Its first line is not a valid header.');
  if (head[version] !== 1) {
    throw createError(
      `${file}:1`,
      `a ${noun} of version ${toText(head[version])}`,
      'This ttctl reads version 1.',
    );
  }
  if (!isHead(head)) throw createError(`${file}:1`, `the header of the ${noun} is incomplete`);
  return head;
};

/**
 * Pure.
 * @param file for errors
 * @throws UsageError for what is no such file, is damaged or was edited: with the line, where one is to blame
 */
export const parseSealedLines = <Head extends SealedHead, Row>(
  text: string,
  file: string,
  kind: SealedKind<Head> & { readonly isRow: (value: unknown, n: number) => value is Row },
): { readonly head: Head; readonly rows: readonly Row[] } => {
  const { noun, createError, isRow } = kind;
  const end = text.indexOf('\n');
  const line = end < 0 ? text : text.slice(0, end);
  const body = end < 0 ? '' : text.slice(end + 1);
  const head = parseHead(line, file, kind);
  const lines = body.split('\n');
  const rest = lines.pop();
  if (end < 0 || rest !== '' || lines.length !== head.rows) {
    const count = `${lines.length} of ${head.rows} rows`;
    throw createError(
      file,
      `the ${noun} is incomplete or has extra lines`,
      `It has ${count}: it was cut, or lines were added.`,
    );
  }
  if (lines.length > MAX_ROWS) throw createError(file, `the ${noun} has more than ${MAX_ROWS} rows`);
  const checksum = CHECKSUM.exec(line)?.[1];
  if (checksum === undefined || computeChecksum(line.replace(CHECKSUM, '}'), body) !== checksum) {
    throw createError(
      file,
      `the ${noun} was changed after it was made`,
      'Its checksum does not match: it was edited, or damaged on the way.',
    );
  }
  const rows = lines.map((one, index) => {
    const row = parseLine(one);
    if (isRow(row, index + 1)) return row;
    throw createError(`${file}:${index + 2}`, `not a row of a ${noun}`);
  });
  return { head, rows };
};
