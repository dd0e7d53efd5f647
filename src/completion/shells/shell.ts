import type { Environment } from '../../config/paths.ts';
import type { Answer } from '../plain.ts';

/** How a shell asks, and how it is answered. */

export interface Asked {
  /** The words between the program and the cursor's, without quotes. */
  readonly words: readonly string[];
  /** The word that the cursor is in, up to the cursor, without quotes. */
  readonly typed: string;
  /** What the shell's script reads. */
  print(answer: Answer): string;
}

/** @param args what the script says behind `__complete <shell>` */
export type Shell = (args: readonly string[], env: Environment) => Asked;

/** The candidates of an answer that begin with what is typed. */
export const beginning = (
  { candidates, kept }: Answer,
  typed: string,
  same: (candidate: string, typed: string) => boolean = (candidate, begun) => candidate.startsWith(begun),
) => candidates.filter(({ value }) => same(value, typed.slice(kept.length)));
