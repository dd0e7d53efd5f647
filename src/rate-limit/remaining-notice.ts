import type { Rate, RateBudget } from '../http/pacing.ts';
import type { OpenBudget } from './budgets.ts';
import { formatRemaining } from './remaining.ts';

/** Says after each answer what is left, for `--debug`. */
export const withRemainingNotice = (
  budget: OpenBudget,
  rate: Rate,
  debug: (text: string) => void,
): RateBudget => ({
  async admit(kind, bulk) {
    const admission = await budget.admit(kind, bulk);
    return {
      done(refusal) {
        admission.done(refusal);
        void budget.getRemaining().then((remaining) => debug(formatRemaining(rate, remaining)));
      },
    };
  },
});
