import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Key } from 'node:readline';
import type { Evidence } from '../decide/evidence.ts';
import { Cancelled, EXIT, Failure, LeftForLater } from '../errors.ts';
import { describeReadOnly } from '../http/links.ts';
import { isRecord, parseJson } from '../json.ts';
import { formatAge } from '../output/cell.ts';
import {
  askQuestion,
  type Prompt,
  type PromptControls,
  type QuestionOptions,
  usePromptControls,
} from '../output/question.ts';
import { safeCell } from '../output/safe-text.ts';
import { getColumns, getRows, prepareWidths } from '../output/terminal.ts';
import type { Run } from '../run.ts';
import { readPrivate } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { findWanted, renderFrame, type Style } from './frame.ts';
import {
  createReviewState,
  type Decision,
  endBurst,
  isTyping,
  listDecisions,
  pressKey,
  type Review,
  type ReviewKey,
  type State,
} from './state.ts';

/** The review screen of a run, again and again until there is an end to it, and what is kept of it. */

/** A decision that was not sent. `version`: a digest of what was decided on. */
interface StoredDecision extends Decision {
  readonly key: string;
  readonly version: string;
}

interface Draft {
  readonly saved_at: number;
  readonly decisions: readonly StoredDecision[];
}

interface Kept {
  readonly reasons?: readonly string[];
  readonly draft?: Draft | undefined;
}

const MAX_REASONS = 10;
const MAX_LENGTH = 200;

/** Why nothing could be sent, found before anything is chosen: a token that may only read. */
export async function findObstacle({ settings, session }: Run): Promise<string | undefined> {
  if (settings.dryRun.value) return undefined;
  if (settings.readOnly.value) return describeReadOnly(settings);
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
  const { kept, change } = openPlace(run);
  const count = kept.draft?.decisions.length ?? 0;
  if (count > 0) change({ draft: undefined });
  return count;
}

/**
 * What was kept of the service, profile and workspace of a run: what was said to one company's people is not offered at
 * another's. A file that cannot be read counts as empty.
 */
function openPlace({ settings, directories: { state } }: Run) {
  const { profile, embedded, baseUrl, workspace } = settings;
  const service = embedded || baseUrl === undefined ? 'embedded' : new URL(baseUrl.value).origin;
  const place = [profile.value, service, workspace?.value ?? ''].join(' ').trim();
  const file = join(state ?? '', 'inbox', 'places.json');
  const read = (): Readonly<Record<string, Kept>> => {
    try {
      const parsed = parseJson((state && readPrivate(file)) ?? '{}');
      return 'value' in parsed && isRecord(parsed.value) ? (parsed.value as Record<string, Kept>) : {};
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return {};
    }
  };
  /** @returns why it could not be written */
  const change = (values: Kept): string | undefined => {
    if (state === undefined) return 'no state directory is known';
    try {
      makePrivateDirectory(dirname(file));
      const places = read();
      const changed = { ...places, [place]: { ...places[place], ...values } };
      writeDurably(file, `${JSON.stringify(changed, null, 2)}\n`);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return error.tell();
    }
  };
  return { kept: read()[place] ?? {}, change };
}

/**
 * Shows the screen until the person sends or leaves. What was chosen and not sent is kept as a draft, with which the next
 * screen of the place begins.
 * @throws Cancelled when choices are left or the input ends (exit 9), at Ctrl-C (130), at a signal
 */
export async function askReview(run: Run, review: Review) {
  const { machine, watch, settings, output, clock } = run;
  const { stdin, stderrStream: stderr, interrupted: signal, interrupt, redactor } = machine;
  const isDryRun = settings.dryRun.value;
  const { kept, change } = openPlace(run);
  const { draft, others } = compareDraft(kept.draft, review, clock.now());
  const isStorable = (text: string): boolean => redactor.text(text) === text;
  let hasDraft = kept.draft !== undefined;
  const replaceDraft = (decisions: readonly StoredDecision[]): string | undefined => {
    if (decisions.length === 0 && !hasDraft) return undefined;
    hasDraft = decisions.length > 0;
    return change({ draft: hasDraft ? { saved_at: clock.now(), decisions } : undefined });
  };
  /** @returns why it could not be written */
  const saveDraft = (): string | undefined => {
    const stored = listDecisions(state).length === 0 ? [] : toStoredDecisions(state, isStorable);
    return replaceDraft([...stored, ...others]);
  };
  // What is still being read for a screen that nobody looks at any more.
  run.onEnd(async () => interrupt());
  // Anything may be typed, so all texts can be measured.
  await prepareWidths(['山']);
  let state = createReviewState(review.items, kept.reasons ?? [], draft);
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
  try {
    let unsaved: string | undefined;
    do {
      state = await reviewOnScreen(review, shown, state);
      // Before anything is sent: a run that fails leaves it.
      unsaved = saveDraft();
      const isLeft = state.end === 'leave' && listDecisions(state).length > 0;
      if (!isLeft) unsaved = undefined;
      else if (unsaved === undefined) throw new LeftForLater('Nothing was sent.');
      else {
        // What was decided stays on the screen.
        const message = `Cannot keep a draft: ${unsaved}. Press Ctrl-C to discard it.`;
        state = { ...state, mode: 'list', end: undefined, message };
      }
    } while (unsaved !== undefined);
    const choices = listDecisions(state);
    const given = choices.flatMap(({ reason = '' }) =>
      reason !== '' && reason.length <= MAX_LENGTH && isStorable(reason) ? reason : [],
    );
    const reasons = [...new Set([...given.reverse(), ...state.recent])].slice(0, MAX_REASONS);
    if (given.length > 0 && !isDryRun) change({ reasons });
    /** They were sent: of the draft only what the review did not show is left. */
    const finish = (): void => void (isDryRun || replaceDraft(others));
    return { choices, finish };
  } catch (error) {
    throw error instanceof Cancelled ? explainEnd(error, state, saveDraft(), review.again) : error;
  }
}

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

function digest(version: string): string {
  return createHash('sha256').update(version).digest('base64url').slice(0, 16);
}

/** The decisions of a state as they are stored. @param isStorable whether a text has no secret in it */
export function toStoredDecisions(
  { items, decisions }: Pick<State, 'items' | 'decisions'>,
  isStorable: (text: string) => boolean,
): readonly StoredDecision[] {
  return items.flatMap((item) => {
    const decision = decisions.get(item.key);
    if (decision === undefined || !isStorable(decision.reason ?? '')) return [];
    return [{ key: item.key, ...decision, version: digest(item.version()) }];
  });
}

/**
 * What of a draft still holds.
 * @param now milliseconds since the epoch
 * @returns `others`: about items that this review may only not show, which stay in the draft
 */
export function compareDraft(
  stored: Draft | undefined,
  { items, isWhole }: Pick<Review, 'items' | 'isWhole'>,
  now: number,
) {
  const byKey = new Map(items.map((item) => [item.key, item]));
  const decisions = new Map<string, Decision>();
  const others: StoredDecision[] = [];
  let gone = 0;
  for (const one of stored?.decisions ?? []) {
    const { key, version, ...decision } = one;
    const item = byKey.get(key);
    if (item === undefined && !isWhole) others.push(one);
    else if (item === undefined || digest(item.version()) !== version) gone += 1;
    else decisions.set(key, decision);
  }
  if (stored === undefined || decisions.size + gone === 0) return { draft: undefined, others };
  const age = formatAge(Math.max(0, Math.floor((now - stored.saved_at) / 1000)));
  const dropped = gone === 0 ? '' : ` Dropped ${gone}: no longer waiting, or changed since.`;
  const saved = age === 'now' ? 'just now' : `${age} ago`;
  const told = `Continued with the draft saved ${saved}: ${decisions.size} decided.${dropped} u discards it.`;
  return { draft: { decisions, told }, others };
}

interface ScreenOptions extends QuestionOptions {
  readonly style: Style;
  readonly action: string;
  readonly account: () => Promise<readonly string[]>;
  /** Told every state, so that it outlives a screen that ends in a failure. */
  readonly watchState?: (state: State) => void;
}

const CLEAR_SCREEN = '\x1b[2J\x1b[H';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const OTHER_PAGE = { enter: `\x1b[?1049h${CLEAR_SCREEN}`, leave: `\x1b[?1049l${SHOW_CURSOR}` };

const PRINTABLE = /^[^\p{Cc}\p{Cs}]$/u;

export function toReviewKey({ name = '', ctrl, meta = false, sequence = '' }: Key): ReviewKey {
  if (ctrl === true) return { name: `ctrl-${name}`, text: '' };
  if (name === 'return' || name === 'enter') return { name: 'enter', text: '' };
  // Of Esc alone readline says that it is Esc together with itself.
  if (meta && name !== 'escape') return { name: `meta-${name}`, text: '' };
  if (name === 'space') return { name, text: ' ' };
  return PRINTABLE.test(sequence) ? { name: sequence, text: sequence } : { name, text: '' };
}

/** @throws Cancelled at Ctrl-C (130), Ctrl-D and the end of the input (9), at a signal */
export async function reviewOnScreen(review: Review, options: ScreenOptions, initial: State): Promise<State> {
  const { stderr, style, action, watchState } = options;
  const getSize = () => ({ columns: Math.max(20, getColumns(stderr)), rows: Math.max(4, getRows(stderr)) });
  let redraw = (): void => {};
  let [isWaiting, latest] = [false, initial];
  const ended = new AbortController();
  const known = new Map<string, Evidence>();
  const asked = new Set<string>();
  const want = (key: string | undefined): void => {
    if (key === undefined || asked.has(key)) return;
    asked.add(key);
    const explain = ({ message }: Error) => [{ label: 'not read', lines: [safeCell(message)] }];
    const show = (parts: Evidence): void => {
      known.set(key, parts);
      if (!ended.signal.aborted) redraw();
    };
    void review.evidence(key).catch(explain).then(show);
  };
  let account: readonly string[] | undefined;
  const screen: Prompt<State> = (outer, context, core) => {
    return core.createPrompt<State, PromptControls>((controls, done) => {
      const [state, setState] = core.useState(initial);
      const [, setDrawn] = core.useState(0);
      const size = getSize();
      const info = { warnings: review.warnings, action, evidence: known, account: account ?? [] };
      const frame = renderFrame(info, state, size, style);
      usePromptControls(controls);
      core.useEffect(() => {
        let drawn = 0;
        redraw = () => setDrawn(++drawn);
        const resize = (): void => {
          stderr.write(CLEAR_SCREEN);
          redraw();
        };
        stderr.on('resize', resize);
        return () => void stderr.removeListener('resize', resize);
      }, []);
      want(findWanted(state, size));
      if (account === undefined && listDecisions(state).length > 0) {
        account = [];
        // What fails is not shown.
        void options.account().then(
          (lines) => {
            account = lines.map((line) => safeCell(line));
            redraw();
          },
          () => {},
        );
      }
      const show = (next: State): void => {
        latest = next;
        setState(next);
        watchState?.(next);
        if (next.end !== undefined) done(next);
        else if (next.isDeaf && !isWaiting) {
          isWaiting = true;
          void controls.quiet().then(() => {
            isWaiting = false;
            if (!ended.signal.aborted) show(endBurst(latest, frame));
          });
        }
      };
      core.useKeypress((key, rl) => {
        // The text is kept here, so that readline has nothing to draw.
        rl.clearLine(0);
        if (!key.ctrl || key.name !== 'd') show(pressKey(state, toReviewKey(key), frame));
      });
      return frame.lines.join('\n') + (isTyping(state) ? SHOW_CURSOR : HIDE_CURSOR);
    })(outer, context);
  };
  stderr.write(OTHER_PAGE.enter);
  try {
    return await askQuestion(options, screen);
  } finally {
    ended.abort();
    stderr.write(OTHER_PAGE.leave);
  }
}
