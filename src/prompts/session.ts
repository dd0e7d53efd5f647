import type { Api } from '../api/client.ts';
import type { Extra } from '../api/plan.ts';
import { checkWriteScope } from '../auth/sign-in.ts';
import type { Invocation } from '../cli/flag.ts';
import type { Calendar } from '../commands/values.ts';
import type { Settings } from '../config/settings.ts';
import { listDestinationFlags } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../errors.ts';
import { refuseWrite } from '../http/links.ts';
import type { Prompter } from '../output/prompt.ts';
import type { Machine } from '../platform/machine.ts';
import { formatShellLine, PromptedAnswers } from './answers.ts';
import type { PromptContext } from './ask.ts';

/** What a run asks a person for, and the command line that would not have asked. */

interface Parts {
  readonly invocation: Invocation;
  readonly machine: Machine;
  readonly settings: Settings;
  readonly prompter: Prompter;
  /** The words of the command line. */
  readonly args: readonly string[];
}

export class PromptSession {
  readonly answers = new PromptedAnswers();
  readonly picked: PromptContext['picked'] = new Map();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `undefined` where nobody can be asked. */
  async pickWorkspace(api: Api): Promise<number | undefined> {
    if (!this.#canPrompt()) return undefined;
    const { pickWorkspace } = await import('./ask.ts');
    return pickWorkspace(api, this.#parts.prompter, this.answers);
  }

  /**
   * Asks for what the command line leaves out.
   * @throws UnresolvedLine where a positional is missing and nobody can be asked
   */
  async ask(context: Context, calendar: Calendar, extra: Extra): Promise<void> {
    const { invocation } = this.#parts;
    const needs = this.#canPrompt()
      ? (await import('../commands/needs.ts')).listNeeds(invocation, extra)
      : [];
    if (needs.length === 0 && invocation.absent !== undefined) throw invocation.absent;
    if (needs.length === 0) return;
    const { promptForMissing } = await import('./ask.ts');
    const { answers, picked } = this;
    const precheck = () => this.#checkSendable(context);
    await promptForMissing(needs, { invocation, context, calendar, answers, picked, precheck });
  }

  /** At the end: the command line that asks nothing. @param error how the run failed */
  report(note: (text: string) => void, error: unknown): void {
    const { args, machine, settings } = this.#parts;
    // After a wrong value there is nothing to repeat.
    const isComplete =
      error === undefined ||
      (error instanceof Failure && !INCOMPLETE_EXITS.some((exit) => exit === error.exit));
    const line = isComplete ? this.answers.buildLine(args) : undefined;
    if (line === undefined) return;
    const formatLine = (words: readonly string[]): string => machine.redactor.text(formatShellLine(words));
    note(`To run this again without prompts: ${formatLine(line)}`);
    const { chosen } = this.answers;
    if (chosen === undefined) return;
    const flags = listDestinationFlags({ ...settings, workspace: undefined });
    note(
      `To make this workspace the default: ${formatLine([...flags, 'workspaces', 'use', String(chosen)])}`,
    );
  }

  /** A list to pick from needs a terminal that can go back over what it has drawn. */
  #canPrompt(): boolean {
    const { machine, settings, prompter } = this.#parts;
    return !settings.dryRun.value && machine.env.TERM !== 'dumb' && prompter.available;
  }

  /** What is sure to be refused is not asked about. @throws Failure */
  async #checkSendable(run: Context): Promise<void> {
    const { invocation, settings } = this.#parts;
    const { operation } = invocation.command;
    if (operation === undefined) return;
    run.base();
    await run.session.identity();
    if (operation.scope !== 'write') return;
    if (settings.readOnly.value) refuseWrite(settings.profile.value);
    await checkWriteScope(run.session);
  }
}

const INCOMPLETE_EXITS = [EXIT.usage, EXIT.cancelled, EXIT.hungUp, EXIT.interrupted, EXIT.terminated];
