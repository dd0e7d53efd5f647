import {
  type Flag,
  formatLongFlag,
  getOptionKey,
  type Invocation,
  isFlag,
  isNegated,
  type Positional,
} from '../cli/flag.ts';
import { listDestinationFlags, type Settings } from '../config/settings.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import type { Prompter } from '../output/prompt.ts';
import { commandLine, quoteShellWord } from '../parsing/shell-word.ts';

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
    const isComplete = error === undefined || (error instanceof Failure && !INCOMPLETE.has(error.exit));
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

const INCOMPLETE: ReadonlySet<number> = new Set([
  ...[EXIT.usage, EXIT.cancelled, EXIT.hungUp, EXIT.interrupted, EXIT.terminated],
]);

/** A command line to copy, for `sh` and its kin. */
export function formatShellLine(words: readonly string[]): string {
  return ['ttctl', ...words].map(quoteShellWord).join(' ');
}

/** For a profile that is set `protected`: its name has to be typed before the first write of a run. `--yes` answers. */
export class ProtectedProfileGuard {
  readonly #parts: readonly [Settings, Prompter, PromptedAnswers];
  #confirmed: Promise<void> | undefined;

  constructor(...parts: readonly [Settings, Prompter, PromptedAnswers]) {
    this.#parts = parts;
  }

  /**
   * What was said once holds for the run.
   * @throws Failure (exit 9) when the name is not typed, UsageError when nobody can be asked
   */
  confirmOnce(): Promise<void> {
    this.#confirmed ??= this.#confirm();
    return this.#confirmed;
  }

  /** The same before anything depends on it: a no is forgotten. @returns false for a no */
  async tryConfirm(): Promise<boolean> {
    const [settings] = this.#parts;
    if (!settings.protected.value) return true;
    try {
      await this.confirmOnce();
      return true;
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.cancelled) throw error;
      this.#confirmed = undefined;
      return false;
    }
  }

  async #confirm(): Promise<void> {
    const [settings, prompter, answers] = this.#parts;
    const profile = settings.profile.value;
    if (settings.yes.value) return;
    if (!prompter.available)
      throw new UsageError(`profile ${profile} is protected`, {
        code: 'confirmation_needed',
        reason: 'Writes need the name of the profile, and there is no terminal to ask in.',
        hint: `Add --yes to run without a prompt, or preview with --dry-run. To remove the protection: ${commandLine`ttctl profile set --profile ${profile} --no-protected`}`,
      });
    const check = (answer: string) => (answer === profile ? undefined : 'The name does not match.');
    try {
      await prompter.text(`profile ${profile} is protected; type its name to continue`, { check });
    } catch (error) {
      // Not `Cancelled`, which would say that the run was interrupted.
      if (!(error instanceof Cancelled) || error.exit !== EXIT.cancelled) throw error;
      throw new Failure(`cancelled: nothing was sent to the protected profile ${profile}`, {
        code: 'cancelled',
        exit: EXIT.cancelled,
      });
    }
    answers.confirm();
  }
}
