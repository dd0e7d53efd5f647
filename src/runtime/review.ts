import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Row } from '../api/page.ts';
import { formatAge } from '../decide/text.ts';
import { Cancelled, Failure, LeftForLater } from '../errors.ts';
import { parseJson } from '../json.ts';
import { measureFor } from '../output/layout.ts';
import { loadPalette } from '../output/palette.ts';
import { loadPrompts } from '../output/question.ts';
import { safeCell } from '../output/safe-text.ts';
import type { Machine } from '../platform/machine.ts';
import type { Review, ReviewEnd, ReviewItem } from '../review.ts';
import { createInitialState, reviewOnScreen } from '../screen/screen.ts';
import {
  type Decision,
  decisionCount,
  listDecisions,
  type OfferedDraft,
  reopenReview,
  type State,
} from '../screen/state.ts';
import type { Style } from '../screen/style.ts';
import { findWriteProblem } from '../storage/named.ts';
import { readPrivate } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';

/** The review screen on this machine, the reasons that were given on it before, and what was not sent from it. */

/** Places that are stored, the latest first. */
const MAX_PLACES = 20;
/** Reasons that are stored of each place, and characters of a reason. */
const MAX_REASONS = 10;
const MAX_LENGTH = 200;

interface StoredDecision {
  readonly key: string;
  readonly verdict: string;
  readonly reason?: string;
  /** Digest of what was decided on. */
  readonly version: string;
  /** For people. */
  readonly label: string;
}

interface StoredDraft {
  readonly saved_at: number;
  readonly decisions: readonly StoredDecision[];
}

/** What is kept of a place. */
interface Place {
  readonly place: string;
  /** The latest first. */
  readonly reasons?: readonly string[] | undefined;
  readonly draft?: StoredDraft | undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isStoredDecision = (one: Partial<Record<keyof StoredDecision, unknown>> | null): boolean =>
  [one?.key, one?.version, one?.label].every(isText) &&
  (one?.verdict === 'reject' ? isText(one.reason) : one?.verdict === 'approve' || one?.verdict === 'skip');

const isPlace = ({ place, reasons = [], draft }: Partial<Record<keyof Place, unknown>>): boolean => {
  const { saved_at: at, decisions } = (draft ?? { saved_at: 0, decisions: [] }) as Row;
  const lists = [reasons, decisions].every(Array.isArray);
  return (
    isText(place) &&
    Number.isFinite(at) &&
    lists &&
    (reasons as readonly unknown[]).every(isText) &&
    (decisions as readonly StoredDecision[]).every(isStoredDecision)
  );
};

/** The file of all places. One that cannot be read counts as empty. */
const readPlaces = (file: string): readonly Place[] => {
  try {
    const parsed = parseJson(readPrivate(file)?.text ?? '[]');
    const list: unknown = 'value' in parsed ? parsed.value : [];
    return Array.isArray(list) ? list.filter((one) => isPlace(one ?? {})) : [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
};

/** The file of the state directory with what was kept of each place. */
export const openPlace = (directory: string | undefined, place: string) => {
  const file = join(directory ?? '', 'inbox', 'places.json');
  const read = () => (directory === undefined ? [] : readPlaces(file));
  const find = (): Place => read().find((one) => one.place === place) ?? { place };
  /** @returns why it could not be written */
  const change = (values: Pick<Place, 'reasons' | 'draft'>): string | undefined => {
    if (directory === undefined) return 'no state directory is known';
    const others = read().filter((one) => one.place !== place);
    try {
      makePrivateDirectory(dirname(file));
      const places = [{ ...find(), ...values }, ...others].slice(0, MAX_PLACES);
      writeDurably(file, `${JSON.stringify(places, null, 2)}\n`);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message, error.reason].filter(Boolean).join(': ');
    }
  };
  return { find, change };
};

const digest = (item: ReviewItem): string =>
  createHash('sha256').update(item.version()).digest('base64url').slice(0, 16);

/** The decisions of a state as they are stored. @param isStorable whether a text has no secret in it */
export const toStoredDecisions = (
  { items, decisions }: Pick<State, 'items' | 'decisions'>,
  isStorable: (text: string) => boolean,
): readonly StoredDecision[] =>
  items.flatMap((item) => {
    const decision = decisions.get(item.key);
    if (decision === undefined || (decision.verdict === 'reject' && !isStorable(decision.reason))) return [];
    const label = [item.who, item.kind, item.when, item.amount].join('  ');
    return [{ key: item.key, ...decision, version: digest(item), label }];
  });

const toDecision = ({ verdict, reason = '' }: StoredDecision): Decision =>
  verdict === 'reject' ? { verdict, reason } : { verdict: verdict === 'skip' ? 'skip' : 'approve' };

/**
 * What of a draft still holds.
 * @param now milliseconds since the epoch
 * @returns `others`: about items that this review may only not show, which stay in the draft
 */
export const compareDraft = (
  draft: StoredDraft | undefined,
  { items, isWhole }: Pick<Review, 'items' | 'isWhole'>,
  now: number,
): { readonly offer: OfferedDraft | undefined; readonly others: readonly StoredDecision[] } => {
  if (draft === undefined) return { offer: undefined, others: [] };
  const byKey = new Map(items.map((item) => [item.key, item]));
  const decisions = new Map<string, Decision>();
  const gone: string[] = [];
  const others: StoredDecision[] = [];
  for (const stored of draft.decisions) {
    const item = byKey.get(stored.key);
    if (item === undefined && !isWhole) others.push(stored);
    else if (item === undefined) gone.push(safeCell(`${stored.label}: no longer waiting`));
    else if (digest(item) !== stored.version) gone.push(safeCell(`${stored.label}: changed since`));
    else decisions.set(stored.key, toDecision(stored));
  }
  const age = formatAge(Math.max(0, Math.floor((now - draft.saved_at) / 1000)));
  const saved = age === 'now' ? 'just now' : `${age} ago`;
  const offer = decisions.size + gone.length === 0 ? undefined : { decisions, gone, saved };
  return { offer, others };
};

interface ReviewServiceOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** Which service is meant, by which profile: what was said to one company's people is not offered at another's. */
  readonly place: string;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** What Enter does with the decisions. */
  readonly action: 'send' | 'preview' | 'save the plan';
  /** Lines of the profile and the workspace that decisions are sent to. */
  readonly account: () => Promise<readonly string[]>;
  /** As in `QuestionOptions`. */
  readonly hold: () => () => void;
}

const KEPT = 'Your decisions are kept.';

export class ReviewScreen {
  readonly #options: ReviewServiceOptions;
  readonly #place: ReturnType<typeof openPlace>;
  /** Of the draft what the review does not show. */
  #others: readonly StoredDecision[] = [];

  constructor(options: ReviewServiceOptions) {
    this.#options = options;
    this.#place = openPlace(options.directory, options.place);
  }

  async prepare(): Promise<void> {
    const [{ measure }] = await Promise.all([this.#loadStyle(), loadPrompts()]);
    // The first text beyond ASCII has it make patterns.
    measure('–');
  }

  /**
   * The screen, again and again until there is an end to it.
   * @param agrees whether what was chosen may be sent; a no leads back to the screen as it was left
   */
  async ask(review: Review, agrees: () => Promise<boolean>): Promise<ReviewEnd> {
    const { machine, action, account, hold } = this.#options;
    const { stdin, stderrStream: stderr, interrupted: signal, interrupt, suspend, clock } = machine;
    const { offer, others } = compareDraft(this.#place.find().draft, review, clock.now());
    this.#others = others;
    const sleep = (ms: number) => clock.sleep(ms);
    const style = await this.#loadStyle();
    const recent = this.#listReasons();
    const streams = { stdin, stderr, sleep, signal, interrupt, suspend, hold };
    const shown = { ...streams, style, recent, action, account };
    let state = createInitialState(review, shown, offer);
    const watchState = (next: State): void => {
      state = next;
    };
    for (;;) {
      try {
        const last = await reviewOnScreen(review, { ...shown, watchState }, state);
        const end = await this.#close(last, agrees);
        if (typeof end !== 'string') return end;
        state = reopenReview(last, end);
      } catch (error) {
        throw this.#explainEnd(error, state, review);
      }
    }
  }

  /** What was chosen is sent, or saved as a plan: of the draft only what the review did not show is left. */
  finish(): void {
    if (this.#options.action !== 'preview') this.#replaceDraft(this.#others);
  }

  /** @returns how many decisions it had */
  discardDraft(): number {
    const count = this.#place.find().draft?.decisions.length ?? 0;
    if (count > 0) this.#place.change({ draft: undefined });
    return count;
  }

  /** Anything may be typed, so the measure for all texts is loaded. */
  async #loadStyle(): Promise<Style> {
    const { colour, unicode } = this.#options;
    return { palette: await loadPalette(colour), unicode, measure: await measureFor(['é']) };
  }

  #listReasons(): readonly string[] {
    return this.#place.find().reasons ?? [];
  }

  #isStorable(text: string): boolean {
    return this.#options.machine.redactor.text(text) === text;
  }

  /** Keeps the reasons for the next time; none with a secret in it. */
  #remember({ choices }: ReviewEnd): void {
    const given = choices.flatMap((choice) => (choice.verdict === 'reject' ? [choice.reason] : []));
    const fit = given.filter((reason) => reason.length <= MAX_LENGTH && this.#isStorable(reason));
    if (fit.length === 0 || this.#options.action === 'preview') return;
    const reasons = [...new Set([...fit.reverse(), ...this.#listReasons()])].slice(0, MAX_REASONS);
    this.#place.change({ reasons });
  }

  #replaceDraft(decisions: readonly StoredDecision[]): string | undefined {
    if (decisions.length === 0 && this.#place.find().draft === undefined) return undefined;
    const draft = { saved_at: this.#options.machine.clock.now(), decisions };
    return this.#place.change({ draft: decisions.length === 0 ? undefined : draft });
  }

  /** An offer that was not answered stays as it is. @returns why it could not be written */
  #saveDraft(state: State): string | undefined {
    if ((state.draft?.decisions.size ?? 0) > 0) return undefined;
    const chosen = listDecisions(state).length === 0 ? { ...state, decisions: new Map() } : state;
    const stored = toStoredDecisions(chosen, (text) => this.#isStorable(text));
    return this.#replaceDraft([...stored, ...this.#others]);
  }

  /**
   * @returns what was chosen; a text: why the screen is shown again. Nothing that was decided is lost for want of a place
   * @throws Cancelled when choices are left
   */
  async #close(last: State, agrees: () => Promise<boolean>): Promise<ReviewEnd | string> {
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
    } else if (!(await agrees())) return `Nothing was sent. ${KEPT}`;
    this.#remember(end);
    return last.end === 'plan' ? { ...end, plan: last.input } : end;
  }

  /** The failure that ends a screen, with what became of the choices. */
  #explainEnd(error: unknown, state: State, { again }: Review): unknown {
    if (!(error instanceof Cancelled)) return error;
    const problem = this.#saveDraft(state);
    if (listDecisions(state).length === 0) return error;
    if (problem !== undefined)
      return new Cancelled(`${error.message}; ${decisionCount(state)} discarded (${problem})`, error.exit);
    const kept = `${decisionCount(state)} kept as a draft`;
    const hint = `Continue with: ${again}\nDiscard with: ${again} --discard-draft`;
    return error instanceof LeftForLater
      ? new LeftForLater(`Nothing was sent; ${kept}.`, error.exit, hint)
      : new Cancelled(`${error.message}; ${kept}`, error.exit, hint);
  }
}
