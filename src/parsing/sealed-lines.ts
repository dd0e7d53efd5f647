import { createHash } from 'node:crypto';
import type { UsageError } from '../errors.ts';
import { isRecord, parseJson, STORED_DEPTH, stringifyJson, toText } from '../json.ts';
import { MAX_ROWS } from './text.ts';

/**
 * A file of JSON lines: a head, then a line for each row. The checksum in the head is of all other bytes. It shows
 * damage and edits; it is no signature.
 */

export interface SealedHead {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** What a plan's lines have to be, and how is told that they are not. */
export interface SealedLines<Head extends SealedHead, Row> {
  readonly isHead: (value: unknown) => value is Head;
  readonly isRow: (value: unknown, n: number) => value is Row;
  readonly createError: (place: string, message: string, reason?: string) => UsageError;
}

const CHECKSUM = /,"sha256":"([0-9a-f]{64})"\}$/;

/** @param head its line without the checksum */
function computeChecksum(head: string, body: string): string {
  return createHash('sha256').update(`${head}\n${body}`).digest('hex');
}

/** @param head has `rows` last */
export function formatSealedLines(head: object, rows: readonly unknown[]): string {
  const body = rows.map((row) => `${stringifyJson(row)}\n`).join('');
  const line = stringifyJson(head);
  return `${line.slice(0, -1)},"sha256":"${computeChecksum(line, body)}"}\n${body}`;
}

function parseLine(line: string): unknown {
  const parsed = parseJson(line, { strict: true, depth: STORED_DEPTH });
  return 'value' in parsed ? parsed.value : undefined;
}

/**
 * Pure.
 * @param file for errors
 * @throws UsageError for what is no plan of this version, is damaged or was edited: with the line, where one is to blame
 */
export function parseSealedLines<Head extends SealedHead, Row>(
  text: string,
  file: string,
  { isHead, isRow, createError }: SealedLines<Head, Row>,
): { readonly head: Head; readonly rows: readonly Row[] } {
  const end = text.indexOf('\n');
  const line = end < 0 ? text : text.slice(0, end);
  const body = end < 0 ? '' : text.slice(end + 1);
  const head = parseLine(line);
  if (!isRecord(head) || head['ttctl_plan'] === undefined)
    throw createError(file, 'not a plan', 'Its first line is not a valid header.');
  if (head['ttctl_plan'] !== 1) {
    const version = `a plan of version ${toText(head['ttctl_plan'])}`;
    throw createError(`${file}:1`, version, 'This ttctl reads version 1.');
  }
  if (!isHead(head)) throw createError(`${file}:1`, 'the header of the plan is incomplete');
  const lines = body.split('\n');
  if (end < 0 || lines.pop() !== '' || lines.length !== head.rows) {
    const reason = `It has ${lines.length} of ${head.rows} rows: it was cut, or lines were added.`;
    throw createError(file, 'the plan is incomplete or has extra lines', reason);
  }
  if (lines.length > MAX_ROWS) throw createError(file, `the plan has more than ${MAX_ROWS} rows`);
  const checksum = CHECKSUM.exec(line)?.[1];
  if (checksum === undefined || computeChecksum(line.replace(CHECKSUM, '}'), body) !== checksum) {
    const reason = 'Its checksum does not match: it was edited, or damaged on the way.';
    throw createError(file, 'the plan was changed after it was made', reason);
  }
  const rows = lines.map((one, index) => {
    const row = parseLine(one);
    if (isRow(row, index + 1)) return row;
    throw createError(`${file}:${index + 2}`, 'not a row of a plan');
  });
  return { head, rows };
}
