import type { Key } from 'node:readline';
import type { Evidence } from '../decide/evidence.ts';
import {
  askQuestion,
  type Prompt,
  type PromptControls,
  type QuestionOptions,
  usePromptControls,
} from '../output/question.ts';
import { safeCell } from '../output/safe-text.ts';
import { getColumns, getRows } from '../output/terminal.ts';
import { findWanted, renderFrame, type Style } from './frame.ts';
import {
  endBurst,
  isTyping,
  listDecisions,
  pressKey,
  type Review,
  type ReviewKey,
  type State,
} from './state.ts';

/** A review on a terminal, on the other page of its screen: what stood there before is there again afterwards. */

export interface ScreenOptions extends QuestionOptions {
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

/**
 * What is known around the items: read when it is wanted, one item after the other.
 * @param onChange told whenever there is more to see
 * @returns what is known so far, and what wants the evidence of an item: what was wanted before is forgotten
 */
export function openEvidence(
  { evidence }: Pick<Review, 'evidence'>,
  signal: AbortSignal,
  onChange: () => void,
) {
  const known = new Map<string, Evidence>();
  let [wanted, isReading]: [string | undefined, boolean] = [undefined, false];
  const want = async (wish: string | undefined): Promise<void> => {
    wanted = wish;
    if (isReading) return;
    isReading = true;
    // The key that asked for it is answered first.
    await Promise.resolve();
    for (let key = wanted; key !== undefined && !known.has(key); key = wanted) {
      const parts = await evidence(key).catch((error: unknown): Evidence => {
        const message = safeCell(error instanceof Error ? error.message : String(error));
        return [{ label: 'not read', lines: [message] }];
      });
      if (signal.aborted) return;
      known.set(key, parts);
      onChange();
    }
    isReading = false;
  };
  return { known, want };
}

/**
 * Shows the review until the person sends or leaves.
 * @throws Cancelled at Ctrl-C (130), Ctrl-D and the end of the input (9), at a signal
 */
export async function reviewOnScreen(review: Review, options: ScreenOptions, initial: State): Promise<State> {
  const { stderr, style, action, watchState } = options;
  const getSize = () => ({ columns: Math.max(20, getColumns(stderr)), rows: Math.max(4, getRows(stderr)) });
  let redraw = (): void => {};
  let [isWaiting, latest] = [false, initial];
  const ended = new AbortController();
  const { known, want } = openEvidence(review, ended.signal, () => redraw());
  let account: readonly string[] | undefined;
  const screen: Prompt<State> = (outer, context, core) => {
    const prompt = core.createPrompt<State, PromptControls>((controls, done) => {
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
      void want(findWanted(state, size));
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
    });
    return prompt(outer, context);
  };
  stderr.write(OTHER_PAGE.enter);
  try {
    return await askQuestion(options, screen);
  } finally {
    ended.abort();
    stderr.write(OTHER_PAGE.leave);
  }
}
