import type { InputCell, NamedKind } from '../../context.ts';

/** What the readers of input files give, and what a command makes of it. */

export interface RawRow {
  /** The line it begins on, from 1. */
  readonly line: number;
  /** For people: the line, or the number in a JSON array. */
  readonly number: number;
  /** The line of the headings, where they have one of their own. */
  readonly heading?: number;
  /** Headings as written; rows with the same ones share the array. */
  readonly names: readonly string[];
  /** One for each heading: text in CSV, any JSON elsewhere. */
  readonly cells: readonly unknown[];
}

/** A row that cannot be read; the rows after it can. */
interface BadRow {
  readonly line: number;
  readonly problem: string;
}

export type ReadRow = RawRow | BadRow;

/** Names that stand for ids: checked now, looked up when all rows are known to be right. */
export interface UnresolvedNames {
  readonly kind: NamedKind;
  readonly texts: readonly string[];
  /** The value that the API takes, from what the look-ups found. */
  readonly toValue: (ids: readonly string[]) => unknown;
}

export interface CheckedValue {
  readonly name: string;
  readonly known?: unknown;
  readonly wanted?: UnresolvedNames;
}

export interface CheckedRow {
  /** The row says that it is for another command: it is passed over. */
  readonly other?: true;
  /** Whether it says more of its record than the command sets: then it is checked beside its record. */
  readonly exported?: boolean;
  /** The record that the row is about, as written; `undefined` where the command has none or the row names none. */
  readonly target: string | undefined;
  readonly values: readonly CheckedValue[];
  /** What is wrong, each beginning with its column. */
  readonly problems: readonly string[];
}

/** A command's columns: what a row of its input may say. */
export interface RowSchema {
  /** What is wrong with the headings; every row with them is then read for the other columns only. */
  headingProblems(names: readonly string[]): readonly { readonly text: string; readonly hint?: string }[];
  check(names: readonly string[], cells: readonly unknown[]): CheckedRow;
  /** What the row says of its record; undefined for a command that makes one. */
  cells(names: readonly string[], cells: readonly unknown[]): readonly InputCell[] | undefined;
  /** The row under the schema's own column names, for a file that can be fed back. */
  texts(names: readonly string[], cells: readonly unknown[]): Readonly<Record<string, string>>;
}
