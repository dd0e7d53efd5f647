import { Failure } from '../../outcome.ts';
import type * as shipped from './types.ts';

/** What went wrong, in the words of somebody who calls functions. */
export class SandboxError extends Error implements shipped.SandboxError {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = 'SandboxError';
    this.code = code;
  }
}

const toCamelCase = (flag: string): string =>
  flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Options bear the names of the flags: `--retry-after` is `retryAfter`. */
const replaceFlags = (text: string): string =>
  text.replace(/--([a-z]+(?:-[a-z]+)*)/g, (_, flag: string) => toCamelCase(flag));

/** Sentences that name a command help nobody here. */
const removeCommands = (text: string): string =>
  text
    .split(/(?<=[.?!]) /)
    .filter((sentence) => !/\bttctl /.test(sentence))
    .join(' ');

const endSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

const formatMessage = ({ message, reason, hint }: Failure): string => {
  const sentences = [reason, hint].filter((part) => part !== undefined).map(removeCommands);
  const parts = sentences.filter((part) => part !== '');
  return replaceFlags(parts.length === 0 ? message : [endSentence(message), ...parts].join(' '));
};

/** A failure of the sandbox's own as a SandboxError; whatever else was thrown stays as it is. */
const toSandboxError = (thrown: unknown): unknown =>
  thrown instanceof Failure ? new SandboxError(formatMessage(thrown), thrown.code, thrown) : thrown;

/** Runs the work; what it throws is explained. @throws SandboxError */
export const explainErrors = <T>(work: () => T): T => {
  try {
    return work();
  } catch (thrown) {
    throw toSandboxError(thrown);
  }
};

/** Likewise for work that takes time. */
export const explainErrorsLater = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (thrown) {
    throw toSandboxError(thrown);
  }
};
