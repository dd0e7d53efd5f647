import { safeCell } from '../terminal/safe-text.ts';
import { answerAt, type Look } from './answer.ts';
import { createLook } from './look.ts';
import type { Surroundings } from './place.ts';
import type { Answer, Candidate, PlainCommand } from './plain.ts';
import { bash } from './shells/bash.ts';
import { powershell } from './shells/powershell.ts';
import { type Asked, fish, type Shell, zsh } from './shells/shell.ts';
import { walkTo } from './walk.ts';

/** `ttctl __complete <shell> …`: what may stand at the cursor, as the shell's script wants it. */

const SHELLS: Readonly<Record<string, Shell>> = { bash, zsh, fish, powershell };

const NOTHING: Answer = { what: 'values', kept: '', candidates: [] };

/** More than anybody reads; what is typed chooses among them. */
const MOST = 1000;

/** A control in a word could press keys for whoever takes it, and what is hidden in one could mislead. */
const isHarmless = ({ value }: Candidate): boolean => value !== '' && safeCell(value) === value;

const seen = ({ value, about }: Candidate): Candidate => ({
  value,
  ...(about === undefined ? {} : { about: safeCell(about) }),
});

const bounded = (answer: Answer, typed: string): Answer => {
  const harmless = answer.candidates.filter(isHarmless).map(seen);
  if (harmless.length <= MOST) return { ...answer, candidates: harmless };
  const part = typed.slice(answer.kept.length).toLowerCase();
  const fitting = harmless.filter(({ value }) => value.toLowerCase().includes(part));
  return { ...answer, candidates: fitting.slice(0, MOST) };
};

/** What cannot be read now is not offered: that a settings file is damaged is told by the commands. */
const patient =
  (look: Look): Look =>
  (...asked) => {
    try {
      return look(...asked);
    } catch {
      return [];
    }
  };

const answerTo = ({ words, typed }: Asked, table: PlainCommand, surroundings: Surroundings): Answer => {
  const position = walkTo(table, words);
  if (position === undefined) return NOTHING;
  return bounded(answerAt(position, typed, patient(createLook(surroundings))), typed);
};

/**
 * @param args the shell, then what its script hands over
 * @returns for stdout. Nothing for a shell that is not known. Never throws
 */
export const complete = (
  [name = '', ...args]: readonly string[],
  table: () => PlainCommand,
  surroundings: Surroundings,
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
