import { checkWriteScope } from '../auth/scopes.ts';
import { isColoured } from '../config/colour.ts';
import type { GlobalFlags, Settings } from '../config/settings-types.ts';
import type { Confirmation, Prompter } from '../context.ts';
import { lazy } from '../lazy.ts';
import { Cancelled, EXIT, Failure } from '../outcome.ts';
import type { ProgressIndicator } from '../output/progress-indicator.ts';
import type { Machine } from '../platform/machine.ts';
import type { ReviewService } from '../review.ts';
import type { Confirm, ProtectedProfileGuard } from './confirm.ts';
import { isUnicode } from './output.ts';
import type { RunServices } from './run-services.ts';

/** `Context.reviews` of one run. Nothing of the screen is loaded before it is shown. */

interface Parts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly flags: GlobalFlags;
  readonly prompter: () => Prompter;
  readonly service: RunServices;
  readonly agree: Confirm;
  readonly permit: ProtectedProfileGuard;
  readonly watch: ProgressIndicator;
  /** The state directory. */
  readonly directory: string | undefined;
}

/** Why no decision could be sent. */
const obstacleOf = async ({ settings, service }: Parts): Promise<string | undefined> => {
  if (settings.dryRun.value) return undefined;
  if (settings.readOnly.value) return `profile ${settings.profile.value} is read-only`;
  try {
    await checkWriteScope(service.session);
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.forbidden) return 'the token has no write scope';
    throw error;
  }
};

/** `work https://api.example.com 101` */
const placeOf = ({ settings: { profile, embedded, baseUrl, workspace } }: Parts): string => {
  const service = embedded || baseUrl === undefined ? 'embedded' : new URL(baseUrl.value).origin;
  return [profile.value, service, workspace?.value ?? ''].join(' ').trim();
};

/** Ctrl-D at a question is a no, as Enter is. At the end of the input the screen ends the run. */
const agreesTo = async (
  { settings, agree, permit }: Parts,
  confirmation: () => Confirmation,
): Promise<boolean> => {
  if (settings.dryRun.value) return true;
  try {
    return (await agree(confirmation())) && (await permit.early());
  } catch (error) {
    if (error instanceof Cancelled && error.exit === EXIT.cancelled) return false;
    throw error;
  }
};

export const openReviews = (parts: Parts): ReviewService => {
  const { machine, flags, prompter, watch, directory } = parts;
  const service = lazy(async () => {
    const { createReviewService } = await import('./review-service.ts');
    const colour = isColoured(machine.stderr, { flag: flags.color, env: machine.env });
    const place = placeOf(parts);
    return createReviewService({
      machine,
      directory,
      place,
      colour,
      unicode: isUnicode(machine),
      hold: watch.hold,
    });
  });
  return {
    get available() {
      return prompter().available && machine.stdout.isTTY && machine.env.TERM !== 'dumb';
    },
    obstacle: () => obstacleOf(parts),
    ask: async (review, question) =>
      (await service()).ask(review, (choices) => agreesTo(parts, () => question(choices))),
    remember: async (reasons) => (await service()).remember(reasons),
  };
};
