import { Cancelled, EXIT, Failure, LeftForLater } from '../errors.ts';
import { prepareWidths } from '../output/terminal.ts';
import type { Run } from '../run.ts';
import { findWriteProblem } from '../storage/own-files.ts';
import { compareDraft, openPlace, toStoredDecisions } from './drafts.ts';
import { reviewOnScreen } from './screen.ts';
import { createReviewState, listDecisions, type Review, type ReviewDecision, type State } from './state.ts';

/** The review screen of a run, again and again until there is an end to it, and what is kept of it. */

export interface ReviewEnd {
  readonly choices: readonly ReviewDecision[];
  /** The file that they are to be written to as a plan, in place of being sent. */
  readonly plan: string | undefined;
  /** They were sent, or saved as a plan: of the draft only what the review did not show is left. */
  finish(): void;
}

/** Reasons that are stored of each place, and characters of a reason. */
const MAX_REASONS = 10;
const MAX_LENGTH = 200;
const KEPT = 'Your decisions are kept.';

/** Why nothing could be sent, found before anything is chosen: a token that may only read. */
export async function findObstacle({ settings, session }: Run): Promise<string | undefined> {
  if (settings.dryRun.value) return undefined;
  if (settings.readOnly.value) return `profile ${settings.profile.value} is read-only`;
  try {
    await session.checkWriteScope();
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.forbidden) return 'the token has no write scope';
    throw error;
  }
}

/** What was chosen before is not offered. @returns how many decisions it had */
export function discardDraft(run: Run): number {
  const place = openPlaceOf(run);
  const count = place.find().draft?.decisions.length ?? 0;
  if (count > 0) place.change({ draft: undefined });
  return count;
}

function openPlaceOf({ settings, directories }: Run): ReturnType<typeof openPlace> {
  const { profile, embedded, baseUrl, workspace } = settings;
  const service = embedded || baseUrl === undefined ? 'embedded' : new URL(baseUrl.value).origin;
  return openPlace(directories.state, [profile.value, service, workspace?.value ?? ''].join(' ').trim());
}

/**
 * Shows the screen until the person sends or leaves: again, with all that was chosen, after a wrong name of a protected
 * profile or of a plan. What was chosen and not sent is kept as a draft, which the next screen of the place offers.
 * @throws Cancelled when choices are left or the input ends (exit 9), at Ctrl-C (130), at a signal
 */
export async function askReview(run: Run, review: Review): Promise<ReviewEnd> {
  const { machine, watch, settings, output, clock } = run;
  const { stdin, stderrStream: stderr, interrupted: signal, interrupt, redactor } = machine;
  const isDryRun = settings.dryRun.value;
  const place = openPlaceOf(run);
  const { offer, others } = compareDraft(place.find().draft, review, clock.now());
  const isStorable = (text: string): boolean => redactor.text(text) === text;
  const replaceDraft = (decisions: typeof others): string | undefined => {
    if (decisions.length === 0 && place.find().draft === undefined) return undefined;
    return place.change({ draft: decisions.length === 0 ? undefined : { saved_at: clock.now(), decisions } });
  };
  /** Nothing where an offer was not answered. @returns why it could not be written */
  const saveDraft = (state: State): string | undefined => {
    if ((state.draft?.decisions.size ?? 0) > 0) return undefined;
    const stored = listDecisions(state).length === 0 ? [] : toStoredDecisions(state, isStorable);
    return replaceDraft([...stored, ...others]);
  };
  let reading = 0;
  // What is still being read for a screen that nobody looks at any more.
  run.onEnd(async () => {
    if (reading > 0) interrupt();
  });
  const evidence: Review['evidence'] = (key, over) => {
    reading += 1;
    return review.evidence(key, over).finally(() => {
      reading -= 1;
    });
  };
  // Anything may be typed, so all texts can be measured.
  await prepareWidths(['é']);
  let state = createReviewState(review.items, place.find().reasons ?? [], offer);
  const shown = {
    ...{ stdin, stderr, signal, interrupt, hold: () => watch.hold() },
    sleep: (ms: number) => clock.sleep(ms),
    style: { palette: output.options.palettes.stderr, unicode: output.style.unicode },
    action: isDryRun ? 'preview' : 'send',
    account: () => run.describeAccount(),
    watchState: (next: State) => {
      state = next;
    },
  };
  for (;;) {
    try {
      state = await reviewOnScreen({ ...review, evidence }, shown, state);
      // Before anything is sent: a run that fails leaves it.
      const unsaved = saveDraft(state);
      const choices = listDecisions(state);
      const plan = state.end === 'plan' ? state.input : undefined;
      const problem = await findProblem(run, state, unsaved);
      if (problem === undefined) {
        const given = choices.flatMap(({ reason = '' }) =>
          reason === '' || reason.length > MAX_LENGTH ? [] : reason,
        );
        const reasons = [...new Set([...given.filter(isStorable).reverse(), ...state.recent])];
        if (given.length > 0 && !isDryRun) place.change({ reasons: reasons.slice(0, MAX_REASONS) });
        return { choices, plan, finish: () => void (isDryRun || replaceDraft(others)) };
      }
      // Once more: all is as it was left.
      state = { ...state, mode: 'list', input: '', end: undefined, scroll: 0, message: problem };
    } catch (error) {
      throw error instanceof Cancelled ? explainEnd(error, state, saveDraft(state), review.again) : error;
    }
  }
}

/** Why the screen is shown again; nothing that was decided is lost. @throws Cancelled when choices are left */
async function findProblem(run: Run, state: State, unsaved: string | undefined): Promise<string | undefined> {
  if (state.end === 'leave') {
    if (listDecisions(state).length === 0) return undefined;
    if (unsaved !== undefined) return `Cannot keep a draft: ${unsaved}. Press Ctrl-C to discard it.`;
    throw new LeftForLater('Nothing was sent.');
  }
  if (state.end === 'plan') {
    const problem = findWriteProblem(state.input);
    return problem === undefined ? undefined : `Cannot write to ${problem}. ${KEPT}`;
  }
  try {
    if (run.settings.dryRun.value || (await run.guard.tryConfirm())) return undefined;
  } catch (error) {
    // Ctrl-D at the question is a no, as a wrong name is. At the end of the input the screen ends the run.
    if (!(error instanceof Cancelled && error.exit === EXIT.cancelled)) throw error;
  }
  return `Nothing was sent. ${KEPT}`;
}

/** What ends a screen, with what became of the choices. */
function explainEnd(error: Cancelled, state: State, unsaved: string | undefined, again: string): Cancelled {
  const { length } = listDecisions(state);
  if (length === 0) return error;
  const count = length === 1 ? '1 decision' : `${length} decisions`;
  if (unsaved !== undefined)
    return new Cancelled(`${error.message}; ${count} discarded (${unsaved})`, error.exit);
  const hint = `Continue with: ${again}\nDiscard with: ${again} --discard-draft`;
  return error instanceof LeftForLater
    ? new LeftForLater(`Nothing was sent; ${count} kept as a draft.`, error.exit, hint)
    : new Cancelled(`${error.message}; ${count} kept as a draft`, error.exit, hint);
}
