import { Cancelled } from '../outcome.ts';
import {
  askQuestion,
  type CreatePrompt,
  isCtrlD,
  type PromptControls,
  type PromptPage,
  type QuestionOptions,
  usePromptControls,
} from '../output/question.ts';
import { safeCell, safeLines } from '../output/safe-text.ts';
import type { Review, ReviewItem } from '../review.ts';
import type { ReviewKey } from './edit.ts';
import { type Frame, renderFrame } from './frame.ts';
import { pressKey } from './keys.ts';
import { createReviewState, decisionCount, listDecisions, type State } from './state.ts';
import type { Size, Style } from './style.ts';

/** A review on a terminal, on the other page of its screen: what stood there before is there again afterwards. */

export interface ScreenOptions extends QuestionOptions {
  readonly stderr: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly style: Style;
  /** Reasons that were given before, the latest first. */
  readonly recent: readonly string[];
}

const ENTER_ALTERNATE_SCREEN = '\x1b[?1049h\x1b[2J\x1b[H';
const LEAVE_ALTERNATE_SCREEN = '\x1b[?1049l\x1b[?25h';
const CLEAR_SCREEN = '\x1b[2J\x1b[H';
const ALTERNATE_SCREEN: PromptPage = { leave: LEAVE_ALTERNATE_SCREEN, enter: ENTER_ALTERNATE_SCREEN };
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

const getSize = ({ columns, rows }: ScreenOptions['stderr']): Size => ({
  columns: Math.max(20, columns || 80),
  rows: Math.max(4, rows || 24),
});

/** Readline's words for a key. */
interface ReadlineKey {
  readonly name?: string | undefined;
  readonly ctrl: boolean;
  readonly meta?: boolean;
  readonly sequence?: string | undefined;
}

const PRINTABLE = /^[^\p{Cc}\p{Cs}]$/u;

export const toReviewKey = ({ name = '', ctrl, meta = false, sequence = '' }: ReadlineKey): ReviewKey => {
  if (ctrl) return { name: `ctrl-${name}`, text: '' };
  if (name === 'return' || name === 'enter') return { name: 'enter', text: '' };
  // Of Esc alone readline says that it is Esc together with itself.
  if (meta && name !== 'escape') return { name: `meta-${name}`, text: '' };
  if (name === 'space') return { name, text: ' ' };
  return PRINTABLE.test(sequence) ? { name: sequence, text: sequence } : { name, text: '' };
};

/** What comes from the service, as it may be shown. */
const sanitizeItem = (item: ReviewItem, { unicode }: Style): ReviewItem => {
  const plain = (text: string): string => (unicode ? text : text.replaceAll('–', '-'));
  const cell = (text: string): string => plain(safeCell(text));
  return {
    key: item.key,
    kind: cell(item.kind),
    kindBrief: cell(item.kindBrief),
    who: cell(item.who),
    when: cell(item.when),
    amount: cell(item.amount),
    waits: cell(item.waits),
    about: item.about === undefined ? undefined : cell(item.about),
    note: item.note === undefined ? undefined : cell(item.note),
    warnings: item.warnings.map(cell),
    facts: item.facts.map(([label, text]) => [cell(label), plain(safeLines(text))] as const),
  };
};

const screenPrompt =
  (review: Review, options: ScreenOptions, previous?: State): CreatePrompt<State> =>
  (core) => {
    const { stderr, style, recent } = options;
    const items = review.items.map((item) => sanitizeItem(item, style));
    const header = { title: review.title, warnings: review.warnings.map((text) => safeCell(text)) };
    const initial = previous ?? createReviewState(items, recent);
    return core.createPrompt<State, PromptControls>((controls, done) => {
      const [state, setState] = core.useState(initial);
      const [size, setSize] = core.useState(getSize(stderr));
      const frame: Frame = renderFrame(header, state, size, style);
      usePromptControls(core, controls, () => ALTERNATE_SCREEN);
      core.useEffect(() => {
        const redraw = (): void => {
          stderr.write(CLEAR_SCREEN);
          setSize(getSize(stderr));
        };
        stderr.on('resize', redraw);
        return () => {
          stderr.removeListener('resize', redraw);
        };
      }, []);
      core.useKeypress((key, rl) => {
        // The text is kept here, so that readline has nothing to draw.
        rl.clearLine(0);
        if (isCtrlD(key)) return controls.end();
        const next = pressKey(state, toReviewKey(key), frame);
        setState(next);
        if (next.end !== undefined) done(next);
      });
      return frame.lines.join('\n') + (frame.typing ? SHOW_CURSOR : HIDE_CURSOR);
    });
  };

/**
 * Shows the review until the person sends, or leaves with nothing chosen.
 * @param previous what it was like when it was shown before
 * @throws Cancelled when choices are left behind (exit 9), at Ctrl-C (130), Ctrl-D and the end of the input (9)
 */
export const reviewOnScreen = async (
  review: Review,
  options: ScreenOptions,
  previous?: State,
): Promise<State> => {
  const { stderr } = options;
  let last: State;
  stderr.write(ENTER_ALTERNATE_SCREEN);
  try {
    last = await askQuestion(options, screenPrompt(review, options, previous));
  } finally {
    stderr.write(LEAVE_ALTERNATE_SCREEN);
  }
  if (last.end === 'leave' && listDecisions(last).length > 0)
    throw new Cancelled(`${decisionCount(last)} discarded: nothing was sent`);
  return last;
};
