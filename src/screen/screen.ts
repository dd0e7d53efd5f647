import type { Evidence } from '../decide/evidence.ts';
import {
  askQuestion,
  isCtrlD,
  type Prompt,
  type PromptControls,
  type QuestionOptions,
  usePromptControls,
} from '../output/question.ts';
import { safeCell } from '../output/safe-text.ts';
import { getColumns, getRows } from '../output/terminal.ts';
import { type Frame, listWanted, type ReviewInfo, renderFrame } from './frame.ts';
import { endBurst, needsPause, pressKey, type ReviewKey } from './keys.ts';
import { listDecisions, type Review, type State } from './state.ts';
import type { Size, Style } from './style.ts';

/** A review on a terminal, on the other page of its screen: what stood there before is there again afterwards. */

export interface ScreenOptions extends QuestionOptions {
  readonly style: Style;
  /** What Enter does with the decisions: `send`. */
  readonly action: string;
  /** Where decisions are sent, for people: read once there is one. */
  readonly account: () => Promise<readonly string[]>;
  /** Told every state, so that it outlives a screen that ends in a failure. */
  readonly watchState?: (state: State) => void;
}

const CLEAR_SCREEN = '\x1b[2J\x1b[H';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const OTHER_PAGE = { enter: `\x1b[?1049h${CLEAR_SCREEN}`, leave: `\x1b[?1049l${SHOW_CURSOR}` };

/**
 * Shows the review until the person sends or leaves.
 * @throws Cancelled at Ctrl-C (130), Ctrl-D and the end of the input (9), at a signal
 */
export async function reviewOnScreen(review: Review, options: ScreenOptions, initial: State): Promise<State> {
  const { stderr } = options;
  const ended = new AbortController();
  stderr.write(OTHER_PAGE.enter);
  try {
    return await askQuestion(options, createScreen(review, options, initial, ended.signal));
  } finally {
    ended.abort();
    stderr.write(OTHER_PAGE.leave);
  }
}

/** Readline's words for a key. */
interface ReadlineKey {
  readonly name?: string | undefined;
  readonly ctrl: boolean;
  readonly meta?: boolean;
  readonly sequence?: string | undefined;
}

const PRINTABLE = /^[^\p{Cc}\p{Cs}]$/u;

export function toReviewKey({ name = '', ctrl, meta = false, sequence = '' }: ReadlineKey): ReviewKey {
  if (ctrl) return { name: `ctrl-${name}`, text: '' };
  if (name === 'return' || name === 'enter') return { name: 'enter', text: '' };
  // Of Esc alone readline says that it is Esc together with itself.
  if (meta && name !== 'escape') return { name: `meta-${name}`, text: '' };
  if (name === 'space') return { name, text: ' ' };
  return PRINTABLE.test(sequence) ? { name: sequence, text: sequence } : { name, text: '' };
}

/**
 * What is known around the items: read when it is wanted, one item after the other.
 * @param onChange told whenever there is more to see
 * @returns what is known so far, and what wants the evidence of some items: what was wanted before is forgotten
 */
export function openEvidence(
  { evidence }: Pick<Review, 'evidence'>,
  signal: AbortSignal,
  onChange: () => void,
) {
  const known = new Map<string, Evidence>();
  let wanted: readonly string[] = [];
  let isReading = false;
  const read = async (): Promise<void> => {
    isReading = true;
    // The key that asked for it is answered first.
    await Promise.resolve();
    for (;;) {
      const key = wanted.find((each) => !known.has(each));
      if (key === undefined || signal.aborted) break;
      const parts = await evidence(key, signal).catch((error: unknown): Evidence => {
        const message = safeCell(error instanceof Error ? error.message : String(error));
        return [{ label: 'not read', lines: [message] }];
      });
      if (signal.aborted) break;
      known.set(key, parts);
      onChange();
    }
    isReading = false;
  };
  const want = (keys: readonly string[]): void => {
    wanted = keys;
    if (!isReading && keys.some((key) => !known.has(key))) void read();
  };
  return { known, want };
}

function createScreen(
  review: Review,
  options: ScreenOptions,
  initial: State,
  signal: AbortSignal,
): Prompt<State> {
  const { stderr, style, action, watchState } = options;
  const { warnings } = review;
  const getSize = (): Size => ({
    columns: Math.max(20, getColumns(stderr)),
    rows: Math.max(4, getRows(stderr)),
  });
  let redraw = (): void => {};
  let absences = 0;
  let latest = initial;
  let isWaiting = false;
  /** There is more to see; not while the shell has the terminal, for all is drawn anew after that. */
  const announce = (): void => {
    if (absences === 0) redraw();
  };
  const store = openEvidence(review, signal, announce);
  let account: readonly string[] | undefined;
  /** Read once, when there is something to send. What fails is not shown. */
  const readAccount = async (): Promise<void> => {
    account = [];
    account = (await options.account().catch(() => [])).map((line) => safeCell(line));
    announce();
  };
  return (outer, context, core) => {
    const prompt = core.createPrompt<State, PromptControls>((controls, done) => {
      const [state, setState] = core.useState(initial);
      const [size, setSize] = core.useState(getSize());
      const [, setDrawn] = core.useState(0);
      const info: ReviewInfo = { warnings, action, evidence: store.known, account: account ?? [] };
      const frame: Frame = renderFrame(info, state, size, style);
      const away: PromptControls['away'] = async (page) => {
        absences += 1;
        await controls.away(page);
        absences -= 1;
      };
      usePromptControls({ ...controls, away }, OTHER_PAGE);
      core.useEffect(() => {
        let drawn = 0;
        const resize = (): void => {
          stderr.write(CLEAR_SCREEN);
          setSize(getSize());
        };
        stderr.on('resize', resize);
        redraw = () => setDrawn(++drawn);
        return () => void stderr.removeListener('resize', resize);
      }, []);
      store.want(listWanted(state, size));
      if (account === undefined && listDecisions(state).length > 0) void readAccount();
      const show = (next: State): void => {
        latest = next;
        setState(next);
        watchState?.(next);
        if (next.end !== undefined) done(next);
        else if (needsPause(next) && !isWaiting) {
          isWaiting = true;
          void controls.quiet().then(() => {
            isWaiting = false;
            if (!signal.aborted) show(endBurst(latest, frame));
          });
        }
      };
      core.useKeypress((key, rl) => {
        // The text is kept here, so that readline has nothing to draw.
        rl.clearLine(0);
        if (isCtrlD(key)) return controls.end();
        show(pressKey(state, toReviewKey(key), frame));
      });
      return frame.lines.join('\n') + (frame.typing ? SHOW_CURSOR : HIDE_CURSOR);
    });
    return prompt(outer, context);
  };
}
