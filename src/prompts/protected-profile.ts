import type { Settings } from '../config/settings.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import type { Prompter } from '../output/prompt.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { PromptedAnswers } from './answers.ts';

const createDeclinedError = (profile: string): Failure =>
  new Failure(`cancelled: nothing was sent to the protected profile ${profile}`, {
    code: 'cancelled',
    exit: EXIT.cancelled,
  });

/** A name can be mistyped. */
const MAX_TRIES = 3;

const promptForName = async (settings: Settings, prompter: Prompter): Promise<boolean> => {
  const profile = settings.profile.value;
  let triesLeft = MAX_TRIES;
  // Not `Cancelled`, which would say that the run was interrupted.
  const typed = await prompter
    .text(`profile ${profile} is protected; type its name to continue`, {
      check: (answer) => {
        triesLeft -= 1;
        if (answer === profile || triesLeft === 0) return undefined;
        return `The name does not match; ${triesLeft} more ${triesLeft === 1 ? 'try' : 'tries'}.`;
      },
    })
    .catch((error) => {
      throw error instanceof Cancelled && error.exit === EXIT.cancelled
        ? createDeclinedError(profile)
        : error;
    });
  return typed === profile;
};

/** For a profile that is set `protected`: its name has to be typed before the first write of a run. `--yes` answers. */
export class ProtectedProfileGuard {
  readonly #settings: Settings;
  readonly #prompter: Prompter;
  readonly #answers: PromptedAnswers;
  #confirmed: Promise<void> | undefined;

  constructor(settings: Settings, prompter: Prompter, answers: PromptedAnswers) {
    this.#settings = settings;
    this.#prompter = prompter;
    this.#answers = answers;
  }

  /**
   * What was said once holds for the run.
   * @throws Failure (exit 9) when the name is not typed in a few tries, UsageError when nobody can be asked
   */
  confirmOnce(): Promise<void> {
    this.#confirmed ??= this.#confirm();
    return this.#confirmed;
  }

  /** The same before anything depends on it: a no is forgotten. @returns false for a no */
  async tryConfirm(): Promise<boolean> {
    if (!this.#settings.protected.value) return true;
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
    const profile = this.#settings.profile.value;
    if (this.#settings.yes.value) return;
    if (!this.#prompter.available) {
      throw new UsageError(`profile ${profile} is protected`, {
        code: 'confirmation_needed',
        reason: 'Writes need the name of the profile, and there is no terminal to ask in.',
        hint: `Add --yes to run without a prompt, or preview with --dry-run. To remove the protection: ${commandLine`ttctl profile set --profile ${profile} --no-protected`}`,
      });
    }
    if (!(await promptForName(this.#settings, this.#prompter))) throw createDeclinedError(profile);
    this.#answers.confirm();
  }
}
