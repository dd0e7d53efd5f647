import { checkWriteScope } from '../auth/sign-in.ts';
import { listNeeds } from '../commands/needs.ts';
import { toExtra } from '../commands/values.ts';
import { refuseWrite } from '../http/links.ts';
import type { Run } from '../run.ts';

/**
 * Asks for what the command line leaves out.
 * @throws UnresolvedLine where a positional is missing and nobody can be asked
 */
export async function promptForMissing(run: Run): Promise<void> {
  const { invocation, raws, calendar, answers, picked } = run;
  const needs = canPrompt(run) ? listNeeds(invocation, toExtra(raws)) : [];
  if (needs.length === 0 && invocation.absent !== undefined) throw invocation.absent;
  if (needs.length === 0) return;
  const { askForNeeds } = await import('./ask.ts');
  const precheck = () => checkSendable(run);
  await askForNeeds(needs, { invocation, context: run, calendar, answers, picked, precheck });
}

/** Lets a person choose the workspace of the run; `undefined` where nobody can be asked. */
export async function pickWorkspace(run: Run): Promise<number | undefined> {
  if (!canPrompt(run)) return undefined;
  const { askForWorkspace } = await import('./ask.ts');
  return askForWorkspace(run.api, run.prompter, run.answers);
}

/** A list to pick from needs a terminal that can go back over what it has drawn. */
function canPrompt({ machine, settings, prompter }: Run): boolean {
  return !settings.dryRun.value && machine.env.TERM !== 'dumb' && prompter.available;
}

/** What is sure to be refused is not asked about. @throws Failure */
async function checkSendable(run: Run): Promise<void> {
  const { settings, session } = run;
  const { operation } = run.invocation.command;
  if (operation === undefined) return;
  run.base();
  await session.identity();
  if (operation.scope !== 'write') return;
  if (settings.readOnly.value) refuseWrite(settings.profile.value);
  await checkWriteScope(session);
}
