import type { Confirmation, Context } from './context.ts';
import { Cancelled, UsageError } from './outcome.ts';
import type { Parts, Service } from './service.ts';

/** Asks before what destroys or decides (contract, section 5). */

const accountOf = async ({ session, knownWorkspaceId }: Service): Promise<readonly string[]> => {
  const { profile, source } = await session.identity();
  const workspace = await knownWorkspaceId();
  return [
    `profile    ${profile} (${source})`,
    ...(workspace === undefined ? [] : [`workspace  ${workspace}`]),
  ];
};

/** `Context.confirm` of one run. */
export const confirmer = (
  { machine, settings }: Parts,
  service: Service,
  prompter: () => Context['prompter'],
) => {
  return async ({ question, facts, local }: Confirmation): Promise<void> => {
    if (settings.yes.value) return;
    if (!prompter().available) {
      throw new UsageError(`this asks before it does so: ${question}`, {
        code: 'confirmation_needed',
        reason: 'There is no terminal to ask on.',
        hint: 'Add --yes, or look first with --dry-run.',
      });
    }
    const where = local === true ? [] : await accountOf(service);
    if (!(await prompter().confirm({ question, facts: [...where, ...facts] }))) {
      throw new Cancelled('declined: nothing was sent');
    }
    machine.interrupted.throwIfAborted();
  };
};
