import type { Rate } from '../http/budget.ts';
import type { Budget } from '../http/pace.ts';
import type { OpenBudget } from './budgets.ts';
import { leftText } from './left.ts';

/** Says after each answer what is left, for `--debug`. */
export const telling = (budget: OpenBudget, rate: Rate, say: (text: string) => void): Budget => ({
  async admit(kind, bulk) {
    const admission = await budget.admit(kind, bulk);
    return {
      done(refusal) {
        admission.done(refusal);
        void budget.left().then((left) => say(leftText(rate, left)));
      },
    };
  },
});
