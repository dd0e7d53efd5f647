import { checkWriteScope } from '../auth/sign-in.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Confirmation, Context, Prompter } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { PromptedAnswers } from '../prompts/missing/prompted-answers.ts';
import type { Parts, RunServices } from './run-services.ts';

/** Asks before what destroys or decides. */

/** By its name, so that nobody has to know the numbers; by its id alone where the service does not tell. */
const formatWorkspace = async ({ api, lists }: RunServices, id: number): Promise<string> => {
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

/** The profile and the workspace, as lines for a person. */
export const describeAccount = async (service: RunServices): Promise<readonly string[]> => {
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

/** Whether the person agrees; `--yes` does. @throws as `Context.confirm`, but for a plain no */
export type Confirm = (confirmation: Confirmation) => Promise<boolean>;

/** Asks the person of one run. */
export const createConfirm = (
  { machine, settings }: Parts,
  service: RunServices,
  prompter: () => Context['prompter'],
  answers: PromptedAnswers,
): Confirm => {
  return async (confirmation) => {
    const { question, facts, local } = confirmation;
    // What is sure to be refused is not asked about.
    if (local !== true) await checkWriteScope(service.session);
    if (settings.yes.value) return true;
    if (!prompter().available) {
      throw new UsageError(`${toGerund(question)} needs confirmation`, {
        code: 'confirmation_needed',
        reason: 'There is no terminal to ask in.',
        hint: 'Add --yes to run without a prompt, or preview with --dry-run.',
      });
    }
    const account = local === true ? [] : await describeAccount(service);
    if (!(await prompter().confirm({ ...confirmation, facts: [...account, ...facts] }))) return false;
    machine.interrupted.throwIfAborted();
    answers.addConfirmation();
    return true;
  };
};

/** `Context.confirm` of one run. */
export const createContextConfirm =
  (confirm: Confirm) =>
  async (confirmation: Confirmation): Promise<void> => {
    if (!(await confirm(confirmation))) throw new Cancelled('cancelled: nothing was sent');
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

const confirmProtectedWrites = async (
  settings: Settings,
  prompter: Prompter,
  answers: PromptedAnswers,
): Promise<void> => {
  const profile = settings.profile.value;
  if (settings.yes.value) return;
  if (!prompter.available) {
    throw new UsageError(`profile ${profile} is protected`, {
      code: 'confirmation_needed',
      reason: 'Writes need the name of the profile, and there is no terminal to ask in.',
      hint: `Add --yes to run without a prompt, or preview with --dry-run. To remove the protection: ${commandLine`ttctl profile set --profile ${profile} --no-protected`}`,
    });
  }
  if (!(await promptForName(settings, prompter))) throw createDeclinedError(profile);
  answers.addConfirmation();
};

/** Asks before the first write to a protected profile. */
export interface ProtectedProfileGuard {
  /**
   * What was said once holds for the run.
   * @throws Failure (exit 9) when the name is not typed in a few tries, UsageError when nobody can be asked
   */
  confirmOnce(): Promise<void>;
  /** The same before anything depends on it: a no is forgotten. @returns false for a no */
  tryConfirm(): Promise<boolean>;
}

/** For a profile that is set `protected`: its name has to be typed before the first write of a run. `--yes` answers. */
export const createProtectedProfileGuard = (
  settings: Settings,
  prompter: () => Prompter,
  answers: PromptedAnswers,
): ProtectedProfileGuard => {
  let confirmed: Promise<void> | undefined;
  const confirmOnce = (): Promise<void> => {
    confirmed ??= confirmProtectedWrites(settings, prompter(), answers);
    return confirmed;
  };
  return {
    confirmOnce,
    tryConfirm: async () => {
      if (!settings.protected.value) return true;
      try {
        await confirmOnce();
        return true;
      } catch (error) {
        if (!(error instanceof Failure) || error.exit !== EXIT.cancelled) throw error;
        confirmed = undefined;
        return false;
      }
    },
  };
};
