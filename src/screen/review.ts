import { Cancelled, EXIT, Failure, LeftForLater } from '../errors.ts';
import { prepareWidths, textWidth } from '../output/terminal.ts';
import type { Run } from '../run.ts';
import { findWriteProblem } from '../storage/named.ts';
import { compareDraft, openPlace, type StoredDecision, toStoredDecisions } from './drafts.ts';
import { reviewOnScreen } from './screen.ts';
import {
  createReviewState,
  listDecisions,
  type Review,
  type ReviewDecision,
  reopenReview,
  type State,
} from './state.ts';

/** The review screen of a run, again and again until there is an end to it, and what is kept of it. */

/** What a person leaves the screen with. */
export interface ReviewEnd {
  /** In the order of the items. */
  readonly choices: readonly ReviewDecision[];
  /** The file that they are to be written to as a plan, in place of being sent. */
  readonly plan?: string;
}

/** Reasons that are stored of each place, and characters of a reason. */
const MAX_REASONS = 10;
const MAX_LENGTH = 200;
const KEPT = 'Your decisions are kept.';

export class ReviewScreen {
  readonly #context: Run;
  readonly #place: ReturnType<typeof openPlace>;
  /** Of the draft what the review does not show. */
  #others: readonly StoredDecision[] = [];

  constructor(run: Run) {
    const { profile, embedded, baseUrl, workspace } = run.settings;
    const service = embedded || baseUrl === undefined ? 'embedded' : new URL(baseUrl.value).origin;
    const place = [profile.value, service, workspace?.value ?? ''].join(' ').trim();
    this.#context = run;
    this.#place = openPlace(run.directories.state, place);
  }

  /** Why nothing could be sent, found before anything is chosen: a token that may only read. */
  async findObstacle(): Promise<string | undefined> {
    const { settings, session } = this.#context;
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

  /** Loads what it takes to draw: of use while the service is waited for. */
  async prepare(): Promise<void> {
    // Anything may be typed, so all texts can be measured.
    await prepareWidths(['é']);
    // The first text beyond ASCII has it make patterns.
    textWidth('–');
  }

  /**
   * Shows the screen until the person sends or leaves. After a wrong name of a protected profile the screen is there
   * again, with all that was chosen, and so it is where a plan cannot be written to the file that was named. What was
   * chosen and not sent is kept as a draft, which the next screen of the same place offers.
   * @returns what was chosen; nothing when the person left with no choice
   * @throws Cancelled when choices are left (exit 9), at Ctrl-C (130), Ctrl-D on the screen and the end of the
   *   input (9), at a signal
   */
  async ask(review: Review): Promise<ReviewEnd> {
    const { machine, watch, settings } = this.#context;
    const { stdin, stderrStream: stderr, interrupted: signal, interrupt, suspend, clock } = machine;
    const { offer, others } = compareDraft(this.#place.find().draft, review, clock.now());
    this.#others = others;
    let reading = 0;
    // What is still being read for a screen that nobody looks at any more.
    this.#context.onEnd(async () => {
      if (reading > 0) interrupt();
    });
    const evidence: Review['evidence'] = (key, over) => {
      reading += 1;
      return review.evidence(key, over).finally(() => {
        reading -= 1;
      });
    };
    const { style, options } = this.#context.output;
    await this.prepare();
    let state: State;
    const shown = {
      ...{ stdin, stderr, signal, interrupt, suspend, hold: () => watch.hold() },
      sleep: (ms: number) => clock.sleep(ms),
      style: { palette: options.palettes.stderr, unicode: style.unicode },
      action: settings.dryRun.value ? 'preview' : 'send',
      account: () => this.#context.describeAccount(),
      watchState: (next: State) => {
        state = next;
      },
    };
    state = createReviewState(review.items, this.#place.find().reasons ?? [], offer);
    for (;;) {
      try {
        const last = await reviewOnScreen({ ...review, evidence }, shown, state);
        const end = await this.#close(last);
        if (typeof end !== 'string') return end;
        state = reopenReview(last, end);
      } catch (error) {
        throw this.#explainEnd(error, state, review);
      }
    }
  }

  /** The choices were sent, or saved as a plan: of the draft only what the review did not show is left. */
  finish(): void {
    if (!this.#context.settings.dryRun.value) this.#replaceDraft(this.#others);
  }

  /** What was chosen before is not offered. @returns how many decisions it had */
  discardDraft(): number {
    const count = this.#place.find().draft?.decisions.length ?? 0;
    if (count > 0) this.#place.change({ draft: undefined });
    return count;
  }

  #isStorable(text: string): boolean {
    return this.#context.machine.redactor.text(text) === text;
  }

  /** Keeps the reasons for the next time; none with a secret in it. */
  #remember({ choices }: ReviewEnd): void {
    const given = choices.flatMap((choice) => (choice.verdict === 'reject' ? [choice.reason] : []));
    const fit = given.filter((reason) => reason.length <= MAX_LENGTH && this.#isStorable(reason));
    if (fit.length === 0 || this.#context.settings.dryRun.value) return;
    const known = this.#place.find().reasons ?? [];
    this.#place.change({ reasons: [...new Set([...fit.reverse(), ...known])].slice(0, MAX_REASONS) });
  }

  /** @returns why it could not be written */
  #replaceDraft(decisions: readonly StoredDecision[]): string | undefined {
    if (decisions.length === 0 && this.#place.find().draft === undefined) return undefined;
    const draft = { saved_at: this.#context.clock.now(), decisions };
    return this.#place.change({ draft: decisions.length === 0 ? undefined : draft });
  }

  /** An offer that was not answered stays as it is. @returns why it could not be written */
  #saveDraft(state: State): string | undefined {
    if ((state.draft?.decisions.size ?? 0) > 0) return undefined;
    const isEmpty = listDecisions(state).length === 0;
    const stored = isEmpty ? [] : toStoredDecisions(state, (text) => this.#isStorable(text));
    return this.#replaceDraft([...stored, ...this.#others]);
  }

  /**
   * @returns what was chosen; a text: why the screen is shown again. Nothing that was decided is lost for want of a place
   * @throws Cancelled when choices are left
   */
  async #close(last: State): Promise<ReviewEnd | string> {
    const end: ReviewEnd = { choices: listDecisions(last) };
    // Before anything is sent: a run that fails leaves it.
    const unsaved = this.#saveDraft(last);
    if (last.end === 'leave') {
      if (end.choices.length === 0) return end;
      if (unsaved !== undefined) return `Cannot keep a draft: ${unsaved}. Press Ctrl-C to discard it.`;
      throw new LeftForLater('Nothing was sent.');
    }
    if (last.end === 'plan') {
      const problem = findWriteProblem(last.input);
      if (problem !== undefined) return `Cannot write to ${problem}. ${KEPT}`;
    } else if (!(await this.#isConfirmed())) return `Nothing was sent. ${KEPT}`;
    this.#remember(end);
    return last.end === 'plan' ? { ...end, plan: last.input } : end;
  }

  /** Ctrl-D at the question is a no, as a wrong name is. At the end of the input the screen ends the run. */
  async #isConfirmed(): Promise<boolean> {
    if (this.#context.settings.dryRun.value) return true;
    try {
      return await this.#context.guard.tryConfirm();
    } catch (error) {
      if (error instanceof Cancelled && error.exit === EXIT.cancelled) return false;
      throw error;
    }
  }

  /** The failure that ends a screen, with what became of the choices. */
  #explainEnd(error: unknown, state: State, { again }: Review): unknown {
    if (!(error instanceof Cancelled)) return error;
    const problem = this.#saveDraft(state);
    const { length } = listDecisions(state);
    if (length === 0) return error;
    const count = length === 1 ? '1 decision' : `${length} decisions`;
    if (problem !== undefined)
      return new Cancelled(`${error.message}; ${count} discarded (${problem})`, error.exit);
    const hint = `Continue with: ${again}\nDiscard with: ${again} --discard-draft`;
    return error instanceof LeftForLater
      ? new LeftForLater(`Nothing was sent; ${count} kept as a draft.`, error.exit, hint)
      : new Cancelled(`${error.message}; ${count} kept as a draft`, error.exit, hint);
  }
}
