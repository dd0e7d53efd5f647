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
const MOST = 1000;

/** A control in a word could press keys for whoever takes it, and what is hidden in one could mislead. */
const isHarmless = ({ value }: Candidate): boolean => value !== '' && safeCell(value) === value;

const seen = ({ value, about }: Candidate): Candidate => ({
  value,
  ...(about === undefined ? {} : { about: safeCell(about) }),
});

const bounded = (answer: Completion, typed: string): Completion => {
  const harmless = answer.candidates.filter(isHarmless).map(seen);
  if (harmless.length <= MOST) return { ...answer, candidates: harmless };
  const part = typed.slice(answer.kept.length).toLowerCase();
  const fitting = harmless.filter(({ value }) => value.toLowerCase().includes(part));
  return { ...answer, candidates: fitting.slice(0, MOST) };
};

/** What cannot be read now is not offered: that a settings file is damaged is told by the commands. */
const patient =
  (look: FindCandidates): FindCandidates =>
  (...asked) => {
    try {
      return look(...asked);
    } catch {
      return [];
    }
  };

const answerTo = (
  { words, typed }: ShellRequest,
  table: PlainCommand,
  surroundings: CompletionEnvironment,
): Completion => {
  const position = findPosition(table, words);
  if (position === undefined) return NOTHING;
  return bounded(completeAt(position, typed, patient(createCandidateFinder(surroundings))), typed);
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
    const asked = shell(args, surroundings.env);
    return asked.print(answerTo(asked, table(), surroundings));
  } catch {
    return '';
  }
};
