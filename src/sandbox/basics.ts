/** What the sandbox has of its own instead of the client's: no rule of one is in the other (src/README.md, Rules). */

export interface MachineClock {
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
}

interface ProblemFacts {
  /** A code of `ttctl help errors`; default: `usage`. */
  readonly code?: string;
  /** The exit code of `ttctl`; default: 2. */
  readonly exit?: number;
  readonly reason?: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Why something cannot be that was asked of a sandbox beside its API. */
export class Problem extends Error {
  override readonly name = 'SandboxError';
  readonly code: string;
  readonly exit: number;
  readonly reason: string | undefined;
  readonly hint: string | undefined;

  constructor(message: string, { code = 'usage', exit = 2, reason, hint, cause }: ProblemFacts = {}) {
    super(message, { cause });
    this.code = code;
    this.exit = exit;
    this.reason = reason;
    this.hint = hint;
  }
}

export function createNotFound(message: string, hint: string): Problem {
  return new Problem(message, { code: 'not_found', exit: 5, hint });
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The word that was most likely meant: at most a third of its letters differ. */
export function findMeant(word: string, words: readonly string[]): string | undefined {
  const given = word.slice(0, 50);
  const near = words
    .map((candidate) => {
      // How many letters have to change (Levenshtein), row by row.
      let row = Array.from({ length: candidate.length + 1 }, (_, index) => index);
      for (const [i, letter] of [...given].entries()) {
        const next = [i + 1];
        for (const [j, other] of [...candidate].entries())
          next.push(
            Math.min((row[j] ?? 0) + Number(letter !== other), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
          );
        row = next;
      }
      return { candidate, distance: row.at(-1) ?? 0 };
    })
    .filter(
      ({ candidate, distance }) => distance <= Math.max(2, given.length / 3) && distance < candidate.length,
    );
  return near.sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

export function suggestFrom(word: string, words: readonly string[]): string {
  const nearest = findMeant(word, words);
  return `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Known: ${words.join(', ')}.`;
}
