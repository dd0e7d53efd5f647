import { checkWriteScope } from '../auth/sign-in.ts';
import type { Settings } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { PromptedAnswers } from '../prompts/answers.ts';
import type { Parts, RunServices } from './run-services.ts';

/** Asks before what destroys or decides. */

type Account = Pick<Context, 'api' | 'lists' | 'session' | 'knownWorkspaceId'>;

/** By its name, so that nobody has to know the numbers; by its id alone where the service does not tell. */
const formatWorkspace = async ({ api, lists }: Account, id: number): Promise<string> => {
  try {
    for await (const page of lists.pages(api.workspaces.list({}))) {
      const row = page.rows.find((one) => toText(one.id) === toText(id));
      if (row?.workspace_name != null) return `${toText(row.workspace_name)} (${id})`;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  }
  return String(id);
};

export const describeAccount = async (service: Account): Promise<readonly string[]> => {
  const { profile, source } = await service.session.identity();
  const workspace = await service.knownWorkspaceId();
  return [
    `profile    ${profile} (${source})`,
    ...(workspace === undefined ? [] : [`workspace  ${await formatWorkspace(service, workspace)}`]),
  ];
};

/** `submit 2 timesheets` → `submitting 2 timesheets` */
const toGerund = (question: string): string =>
  question.replace(/^\w+/, (verb) => `${verb.replace(/e$/, '').replace(/mit$/, 'mitt')}ing`);

export const createConfirm =
  (
    { machine, settings }: Parts,
    service: RunServices,
    prompter: () => Prompter,
    answers: PromptedAnswers,
  ): Context['confirm'] =>
  async (confirmation) => {
    const { question, facts, local } = confirmation;
    // What is sure to be refused is not asked about.
    if (local !== true) await checkWriteScope(service.session);
    if (settings.yes.value) return;
    if (!prompter().available) {
      throw new UsageError(`${toGerund(question)} needs confirmation`, {
        code: 'confirmation_needed',
        reason: 'There is no terminal to ask in.',
        hint: 'Add --yes to run without a prompt, or preview with --dry-run.',
      });
    }
    const account = local === true ? [] : await describeAccount(service);
    if (!(await prompter().confirm({ ...confirmation, facts: [...account, ...facts] })))
      throw new Cancelled('cancelled: nothing was sent');
    machine.interrupted.throwIfAborted();
    answers.confirm();
  };

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
  readonly #prompter: () => Prompter;
  readonly #answers: PromptedAnswers;
  #confirmed: Promise<void> | undefined;

  constructor(settings: Settings, prompter: () => Prompter, answers: PromptedAnswers) {
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
    if (!this.#prompter().available) {
      throw new UsageError(`profile ${profile} is protected`, {
        code: 'confirmation_needed',
        reason: 'Writes need the name of the profile, and there is no terminal to ask in.',
        hint: `Add --yes to run without a prompt, or preview with --dry-run. To remove the protection: ${commandLine`ttctl profile set --profile ${profile} --no-protected`}`,
      });
    }
    if (!(await promptForName(this.#settings, this.#prompter()))) throw createDeclinedError(profile);
    this.#answers.confirm();
  }
}
