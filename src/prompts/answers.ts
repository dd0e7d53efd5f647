import type { Invocation } from '../cli/flag.ts';
import { type Flag, formatLongFlag, getOptionKey, isFlag, isNegated, type Positional } from '../cli/flag.ts';
import { listDestinationFlags, type Settings } from '../config/settings.ts';
import { EXIT, Failure } from '../errors.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';

/** What a person was asked in this run: given to the command as if it had been typed, and as the words that say it. */
export class PromptedAnswers {
  readonly #flags: string[] = [];
  readonly #operands: string[] = [];
  #isConfirmed = false;
  /** The workspace that was chosen for this run alone. */
  chosen: number | undefined;

  /** A value that looks like a flag is joined to its own. */
  give(
    { command, operands, options }: Invocation,
    source: Flag | Positional,
    values: readonly string[],
  ): void {
    if (!isFlag(source)) {
      operands[command.positionals.indexOf(source)] = source.variadic === true ? [...values] : values[0];
      for (const value of values) this.#operands.push(value);
      return;
    }
    const [key, long] = [getOptionKey(source), formatLongFlag(source)];
    const before = options[key];
    if (source.value === undefined) {
      const isYes = values[0] === 'yes';
      options[key] = isYes !== isNegated(source);
      this.#flags.push(isYes ? long : long.replace(/^--/, '--no-'));
      return;
    }
    options[key] =
      source.repeatable === true ? [...(Array.isArray(before) ? before : []), ...values] : values.at(-1);
    for (const value of values) {
      if (value.startsWith('-')) this.#flags.push(`${long}=${value}`);
      else this.#flags.push(long, value);
    }
  }

  chooseWorkspace(id: number): void {
    this.chosen = id;
    this.#flags.push('--workspace', String(id));
  }

  confirm(): void {
    this.#isConfirmed = true;
  }

  /** At the end of a run: the command line that asks nothing. @param error how it failed */
  describe(args: readonly string[], settings: Settings, error: unknown): readonly string[] {
    // After a wrong value there is nothing to repeat.
    const isComplete =
      error === undefined ||
      (error instanceof Failure && !INCOMPLETE_EXITS.some((exit) => exit === error.exit));
    const line = isComplete ? this.buildLine(args) : undefined;
    if (line === undefined) return [];
    const again = `To run this again without prompts: ${formatShellLine(line)}`;
    if (this.chosen === undefined) return [again];
    const flags = listDestinationFlags({ ...settings, workspace: undefined });
    const use = formatShellLine([...flags, 'workspaces', 'use', String(this.chosen)]);
    return [again, `To make this workspace the default: ${use}`];
  }

  /** The words that need no question; `undefined` where none was asked but for confirmations. */
  buildLine(args: readonly string[]): readonly string[] | undefined {
    const operands = this.#operands;
    if (this.#flags.length + operands.length === 0) return undefined;
    const flags = this.#isConfirmed ? [...this.#flags, '--yes'] : this.#flags;
    // Words after `--` are never flags.
    const end = args.indexOf('--');
    if (end >= 0) return [...args.slice(0, end), ...flags, ...args.slice(end), ...operands];
    if (operands.some((word) => word.startsWith('-'))) return [...args, ...flags, '--', ...operands];
    return [...args, ...operands, ...flags];
  }
}

const INCOMPLETE_EXITS = [EXIT.usage, EXIT.cancelled, EXIT.hungUp, EXIT.interrupted, EXIT.terminated];

/** A command line to copy, for `sh` and its kin. */
export function formatShellLine(words: readonly string[]): string {
  return ['ttctl', ...words].map(quoteShellWord).join(' ');
}
