import { safeCell } from '../output/safe-text.ts';
import { completeAt, type FindCandidates } from './answer.ts';
import { createCandidateFinder } from './find-candidates.ts';
import type { Candidate, Completion, PlainCommand } from './plain.ts';
import type { CompletionEnvironment } from './scope.ts';
import { readBashRequest } from './shells/bash.ts';
import { readPowershellRequest } from './shells/powershell.ts';
import { type ReadShellRequest, readFishRequest, readZshRequest, type ShellRequest } from './shells/shell.ts';
import { findPosition } from './walk.ts';

/** `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it. */

const SHELLS: Readonly<Record<string, ReadShellRequest>> = {
  bash: readBashRequest,
  zsh: readZshRequest,
  fish: readFishRequest,
  powershell: readPowershellRequest,
};

const NOTHING: Completion = { what: 'values', kept: '', candidates: [] };

/** More than anybody reads; what is typed chooses among them. */
const MAX_CANDIDATES = 1000;

/** A control in a word could press keys for whoever takes it, and what is hidden in one could mislead. */
const isHarmless = ({ value }: Candidate): boolean => value !== '' && safeCell(value) === value;

const sanitizeCandidate = ({ value, about }: Candidate): Candidate => ({
  value,
  ...(about === undefined ? {} : { about: safeCell(about) }),
});

const limitCandidates = (answer: Completion, typed: string): Completion => {
  const harmless = answer.candidates.filter(isHarmless).map(sanitizeCandidate);
  if (harmless.length <= MAX_CANDIDATES) return { ...answer, candidates: harmless };
  const part = typed.slice(answer.kept.length).toLowerCase();
  const matching = harmless.filter(({ value }) => value.toLowerCase().includes(part));
  return { ...answer, candidates: matching.slice(0, MAX_CANDIDATES) };
};

/** What cannot be read now is not offered: that a settings file is damaged is told by the commands. */
const withoutErrors =
  (find: FindCandidates): FindCandidates =>
  (...asked) => {
    try {
      return find(...asked);
    } catch {
      return [];
    }
  };

const complete = (
  { words, typed }: ShellRequest,
  table: PlainCommand,
  surroundings: CompletionEnvironment,
): Completion => {
  const position = findPosition(table, words);
  if (position === undefined) return NOTHING;
  return limitCandidates(
    completeAt(position, typed, withoutErrors(createCandidateFinder(surroundings))),
    typed,
  );
};

/**
 * @param args the shell, then what its script hands over
 * @returns for stdout. Nothing for a shell that is not known. Never throws
 */
export const completeLine = (
  [name = '', ...args]: readonly string[],
  table: () => PlainCommand,
  surroundings: CompletionEnvironment,
): string => {
  const shell = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
  if (shell === undefined) return '';
  try {
    const request = shell(args, surroundings.env);
    return request.print(complete(request, table(), surroundings));
  } catch {
    return '';
  }
};
