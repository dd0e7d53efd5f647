import type { Api } from '../api/client.ts';
import type { Extra } from '../api/plan.ts';
import { checkWriteScope } from '../auth/sign-in.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Calendar } from '../commands/convert.ts';
import { listDestinationFlags } from '../config/command-line.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Context, Prompter } from '../context.ts';
import { refuseWrite } from '../http/decorators.ts';
import { EXIT, Failure } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';
import { formatShellLine, PromptedAnswers } from '../prompts/answers.ts';
import type { PromptContext } from '../prompts/ask.ts';
import type { RunServices } from './run-services.ts';

/** What a run asks a person for, and the command line that would not have asked. */

export interface PromptSession {
  readonly asked: PromptedAnswers;
  readonly picked: PromptContext['picked'];
  pickWorkspace(api: Api): Promise<number | undefined>;
  /**
   * Asks for what the command line leaves out.
   * @throws UnresolvedLine where a positional is missing and nobody can be asked
   */
  ask(opened: PromptSessionContext): Promise<void>;
  /** At the end: the command line that asks nothing. @param error how the run failed */
  reportPrompts(note: (text: string) => void, error?: unknown): void;
}

interface PromptSessionContext {
  readonly context: Context;
  readonly service: RunServices;
  readonly calendar: Calendar;
  readonly extra: Extra;
}

interface Parts {
  readonly invocation: Invocation;
  readonly machine: Machine;
  readonly settings: Settings;
  readonly prompter: () => Prompter;
  /** The words of the command line. */
  readonly args: readonly string[];
}

/** What is sure to be refused is not asked about. @throws Failure */
const checkSendable = async (
  invocation: Invocation,
  settings: Settings,
  service: RunServices,
): Promise<void> => {
  const { operation } = invocation.command;
  if (operation === undefined) return;
  service.base();
  await service.session.identity();
  if (operation.scope !== 'write') return;
  if (settings.readOnly.value) refuseWrite(settings.profile.value);
  await checkWriteScope(service.session);
};

const INCOMPLETE_EXITS = [EXIT.usage, EXIT.cancelled, EXIT.hungUp, EXIT.interrupted, EXIT.terminated];

/** Whether the run came as far as its questions led: after a wrong value there is nothing to repeat. */
const isRunComplete = (error: unknown): boolean =>
  error === undefined || (error instanceof Failure && !INCOMPLETE_EXITS.some((code) => code === error.exit));

export function createPromptSession(parts: Parts): PromptSession {
  const { invocation, machine, settings, prompter, args } = parts;
  const answers = new PromptedAnswers();
  const picked: PromptContext['picked'] = new Map();
  // A list to pick from needs a terminal that can go back over what it has drawn.
  const canPrompt = (): boolean =>
    !settings.dryRun.value && machine.env.TERM !== 'dumb' && prompter().available;
  return {
    asked: answers,
    picked,
    async pickWorkspace(api) {
      if (!canPrompt()) return undefined;
      const { pickWorkspace } = await import('../prompts/ask.ts');
      return pickWorkspace(api, prompter(), answers);
    },
    async ask({ context, service, calendar, extra }) {
      const needs = canPrompt() ? (await import('../commands/needs.ts')).listNeeds(invocation, extra) : [];
      if (needs.length === 0 && invocation.absent !== undefined) throw invocation.absent;
      if (needs.length === 0) return;
      const { promptForMissing } = await import('../prompts/ask.ts');
      const precheck = () => checkSendable(invocation, settings, service);
      await promptForMissing(needs, { invocation, context, calendar, answers, picked, precheck });
    },
    reportPrompts(note, error) {
      const line = isRunComplete(error) ? answers.buildLine(args) : undefined;
      if (line === undefined) return;
      const formatLine = (words: readonly string[]): string => machine.redactor.text(formatShellLine(words));
      note(`To run this again without prompts: ${formatLine(line)}`);
      if (answers.chosen === undefined) return;
      const flags = listDestinationFlags({ ...settings, workspace: undefined });
      const use = [...flags, 'workspaces', 'use', String(answers.chosen)];
      note(`To make this workspace the default: ${formatLine(use)}`);
    },
  };
}
