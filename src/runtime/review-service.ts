import { createInitialState, reviewOnScreen } from '../inbox/screen.ts';
import { decisionCount, listDecisions, reopenReview, type State } from '../inbox/state.ts';
import type { Style } from '../inbox/style.ts';
import { Cancelled, LeftForLater } from '../outcome.ts';
import { measureFor } from '../output/layout.ts';
import { loadPalette } from '../output/palette.ts';
import { loadPrompts } from '../output/question.ts';
import type { Machine } from '../platform/machine.ts';
import type { Review, ReviewEnd } from '../review.ts';
import { findWriteProblem } from '../storage/write-named.ts';
import { compareDraft, openDrafts, openReasons, toStoredDecisions } from './review-files.ts';

/** The review screen on this machine, the reasons that were given on it before, and what was not sent from it. */

export interface ReviewServiceOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** Which service is meant, by which profile: what was said to one company's people is not offered at another's. */
  readonly place: string;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** What Enter does with the decisions: `send`. */
  readonly action: string;
  /** Lines of the profile and the workspace that decisions are sent to. */
  readonly account: () => Promise<readonly string[]>;
  /** As in `QuestionOptions`. */
  readonly hold: () => () => void;
}

/** Reasons that are stored of each place, and characters of a reason. */
const MAX_REASONS = 10;
const MAX_LENGTH = 200;

/** The draft of one review. */
const openDraft = ({ machine, directory, place }: ReviewServiceOptions, review: Review) => {
  const drafts = openDrafts(directory);
  const { clock, redactor } = machine;
  const { offer, others } = compareDraft(drafts.find(place), review, clock.now());
  return {
    offer,
    /** An offer that was not answered stays as it is. @returns why it could not be written */
    save(state: State): string | undefined {
      if ((state.draft?.decisions.size ?? 0) > 0) return undefined;
      const chosen = listDecisions(state).length === 0 ? { ...state, decisions: new Map() } : state;
      const decisions = [...toStoredDecisions(chosen, (text) => redactor.text(text) === text), ...others];
      const entry = decisions.length === 0 ? undefined : { place, saved_at: clock.now(), decisions };
      return drafts.replace(place, entry);
    },
    /** Only what this review did not show is left. */
    forget(): void {
      drafts.replace(
        place,
        others.length === 0 ? undefined : { place, saved_at: clock.now(), decisions: others },
      );
    },
  };
};

type Draft = ReturnType<typeof openDraft>;

/** The failure that ends a screen, with what became of the choices. */
const explainEnd = (error: unknown, state: State, draft: Draft, { again }: Review): unknown => {
  if (!(error instanceof Cancelled)) return error;
  const problem = draft.save(state);
  if (listDecisions(state).length === 0) return error;
  if (problem !== undefined)
    return new Cancelled(`${error.message}; ${decisionCount(state)} discarded (${problem})`, error.exit);
  const kept = `${decisionCount(state)} kept as a draft`;
  const hint = `Continue with: ${again}\nDiscard with: ${again} --discard-draft`;
  return error instanceof LeftForLater
    ? new LeftForLater(`Nothing was sent; ${kept}.`, error.exit, hint)
    : new Cancelled(`${error.message}; ${kept}`, error.exit, hint);
};

const KEPT = 'Your decisions are kept.';

/**
 * What was chosen; a text: why the screen is shown again. Nothing that was decided is lost for want of a place.
 * @throws Cancelled when choices are left
 */
const closeReview = async (
  last: State,
  draft: Draft,
  agrees: () => Promise<boolean>,
): Promise<ReviewEnd | string> => {
  const choices = listDecisions(last);
  // Before anything is sent: a run that fails leaves it.
  const unsaved = draft.save(last);
  if (last.end === 'leave') {
    if (choices.length === 0) return { choices };
    if (unsaved !== undefined) return `Cannot keep a draft: ${unsaved}. Press Ctrl-C to discard it.`;
    throw new LeftForLater('Nothing was sent.');
  }
  if (last.end !== 'plan') return (await agrees()) ? { choices } : `Nothing was sent. ${KEPT}`;
  const problem = findWriteProblem(last.input);
  return problem === undefined ? { choices, plan: last.input } : `Cannot write to ${problem}. ${KEPT}`;
};

interface Sitting {
  readonly draft: Draft;
  readonly recent: readonly string[];
  readonly agrees: () => Promise<boolean>;
}

/** Anything may be typed, so the measure for all texts is loaded. */
const loadStyle = async ({ colour, unicode }: ReviewServiceOptions): Promise<Style> => ({
  palette: await loadPalette(colour),
  unicode,
  measure: await measureFor(['é']),
});

/** The screen, again and again until there is an end to it. */
const showReview = async (
  options: ReviewServiceOptions,
  review: Review,
  { draft, recent, agrees }: Sitting,
): Promise<ReviewEnd> => {
  const { machine, action, account, hold } = options;
  const { stdin, stderrStream, interrupted, interrupt, suspend } = machine;
  const style = await loadStyle(options);
  const sleep = (ms: number) => machine.clock.sleep(ms);
  const streams = { stdin, stderr: stderrStream, sleep, signal: interrupted, interrupt, suspend, hold };
  const shown = { ...streams, style, recent, action, account };
  let state = createInitialState(review, shown, draft.offer);
  const watchState = (next: State): void => {
    state = next;
  };
  for (;;) {
    try {
      const last = await reviewOnScreen(review, { ...shown, watchState }, state);
      const end = await closeReview(last, draft, agrees);
      if (typeof end !== 'string') return end;
      state = reopenReview(last, end);
    } catch (error) {
      throw explainEnd(error, state, draft, review);
    }
  }
};

export const createReviewService = (options: ReviewServiceOptions) => {
  const { directory, place } = options;
  const { redactor } = options.machine;
  let draft: Draft | undefined;
  const reasons = openReasons(directory);
  const findReasons = () => (reasons.find(place)?.reasons ?? []).slice(0, MAX_REASONS);
  return {
    async prepare(): Promise<void> {
      const [{ measure }] = await Promise.all([loadStyle(options), loadPrompts()]);
      // The first text beyond ASCII has it make patterns.
      measure('–');
    },
    /** @param agrees whether what was chosen may be sent; a no leads back to the screen as it was left */
    async ask(review: Review, agrees: () => Promise<boolean>): Promise<ReviewEnd> {
      draft = openDraft(options, review);
      return showReview(options, review, { draft, recent: findReasons(), agrees });
    },
    /** A text with a secret in it is not kept. */
    remember(given: readonly string[]): void {
      const fit = given.filter((reason) => reason.length <= MAX_LENGTH && redactor.text(reason) === reason);
      if (fit.length === 0) return;
      const all = [...new Set([...fit.reverse(), ...findReasons()])].slice(0, MAX_REASONS);
      reasons.replace(place, { place, reasons: all });
    },
    forgetDraft: (): void => draft?.forget(),
    discardDraft(): number {
      const drafts = openDrafts(directory);
      const count = drafts.find(place)?.decisions.length ?? 0;
      drafts.replace(place, undefined);
      return count;
    },
  };
};
