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

/** What was most likely meant, of which at most a third of the letters are others in whatever order; and all that is known. */
export function suggestFrom(word: string, words: readonly string[]): string {
  const near = words.map((candidate) => {
    let left = candidate;
    for (const letter of word.slice(0, 50)) left = left.replace(letter, '');
    return { candidate, distance: Math.max(left.length, word.length - candidate.length + left.length) };
  });
  const [nearest] = near.sort((one, other) => one.distance - other.distance);
  const isNear = nearest !== undefined && nearest.distance <= Math.max(2, word.length / 3);
  const meant = isNear && nearest.distance < nearest.candidate.length;
  return `${meant ? `Did you mean ${nearest.candidate}? ` : ''}Known: ${words.join(', ')}.`;
}
