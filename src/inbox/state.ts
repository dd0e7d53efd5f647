import type { ReviewDecision, ReviewItem } from '../review.ts';

/** What a review is at one moment. Pure: keys make one state from another (`keys.ts`), a frame shows it (`frame.ts`). */

/** `skip`: seen, and left as it is. */
export type Decision =
  | { readonly verdict: 'approve' }
  | { readonly verdict: 'reject'; readonly reason: string }
  | { readonly verdict: 'skip' };

/** `find`: of whom is to be rejected. */
type Mode = 'draft' | 'list' | 'detail' | 'filter' | 'find' | 'reason' | 'summary' | 'plan' | 'help';

/** What was chosen before and not sent. */
export interface OfferedDraft {
  /** Of the items that are as they were. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** `12 min ago` */
  readonly saved: string;
  /** A line for each decision that holds no longer, and why. Sanitised. */
  readonly gone: readonly string[];
}

/** What `u` goes back to. */
interface UndoStep {
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly selected: ReadonlySet<string>;
  readonly currentKey: string | undefined;
}

export interface State extends UndoStep {
  /** Sanitised. */
  readonly items: readonly ReviewItem[];
  /** What a filter is looked for in, by key of the item. */
  readonly searchTexts: Map<string, string>;
  /** The widest text of a column over all items, by what makes the text: measured when it is first drawn. */
  readonly columnWidths: Map<(item: ReviewItem) => string, number>;
  /** Reasons that were given before, the latest first. */
  readonly recent: readonly string[];
  /** Offered until it is accepted or discarded. */
  readonly draft: OfferedDraft | undefined;
  /** The last is undone first. */
  readonly undoSteps: readonly UndoStep[];
  /** Words that an item must have. */
  readonly filter: string;
  /** The only kind that is shown. */
  readonly kind: string | undefined;
  readonly mode: Mode;
  /** What is being typed: a filter, a name, a reason, the file of a plan. */
  readonly input: string;
  /** Keys of the items that a reason is asked for. */
  readonly targets: readonly string[];
  /** Where a question or a page goes back to. */
  readonly back: 'list' | 'detail';
  /** The recent reason that stands in the input. */
  readonly recentIndex: number | undefined;
  /** Lines that are scrolled away at the top of a page. */
  readonly scroll: number;
  /** What the last key led to, where the screen does not show it. */
  readonly message: string;
  /** What comes now is pasted. */
  readonly isPasting: boolean;
  /** Enter that would end a text or send, until no key has come for a while: in a burst it is a line of a paste. */
  readonly heldEnter: 'alone' | 'in-burst' | undefined;
  /** Whether the decisions to be sent are on the screen, and no key has come for a while: Enter sends only then. */
  readonly isReady: boolean;
  readonly end: 'send' | 'plan' | 'leave' | undefined;
}

/** Without case and accents. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const toSearchText = ({ who, kind, when, note, warnings, facts }: ReviewItem): string =>
  plain([who, kind, when, note, ...warnings, ...facts.map(([, text]) => text)].join('\n'));

/** Made once: of thousands of items that takes a while. */
export const getSearchText = ({ searchTexts }: Pick<State, 'searchTexts'>, item: ReviewItem): string => {
  const known = searchTexts.get(item.key) ?? toSearchText(item);
  searchTexts.set(item.key, known);
  return known;
};

export const createReviewState = (
  items: readonly ReviewItem[],
  recent: readonly string[],
  draft?: OfferedDraft,
): State => ({
  items,
  searchTexts: new Map(),
  columnWidths: new Map(),
  recent,
  currentKey: items[0]?.key,
  decisions: draft?.decisions ?? new Map(),
  draft,
  selected: new Set(),
  undoSteps: [],
  filter: '',
  kind: undefined,
  mode: draft === undefined ? 'list' : 'draft',
  input: '',
  targets: [],
  back: 'list',
  recentIndex: undefined,
  scroll: 0,
  message: '',
  isPasting: false,
  heldEnter: undefined,
  isReady: false,
  end: undefined,
});

/** The screen once more, after what it led to came to nothing: all is as it was left. */
export const reopenReview = (state: State, message: string): State => ({
  ...state,
  mode: 'list',
  input: '',
  end: undefined,
  scroll: 0,
  message,
});

/** The filter that counts: while one is typed, what is typed. */
export const getFilter = ({ mode, input, filter }: State): string =>
  mode === 'filter' || mode === 'find' ? input : filter;

/** The items that the filters leave. */
export const listVisible = (state: State): readonly ReviewItem[] => {
  const words = plain(getFilter(state)).split(/\s+/).filter(Boolean);
  if (state.kind === undefined && words.length === 0) return state.items;
  return state.items.filter(
    (item) =>
      (state.kind === undefined || item.kind === state.kind) &&
      words.every((word) => getSearchText(state, item).includes(word)),
  );
};

export const getCurrent = (state: State): ReviewItem | undefined =>
  listVisible(state).find(({ key }) => key === state.currentKey);

/** What would be sent, in the order of the items. */
export const listDecisions = ({
  items,
  decisions,
}: Pick<State, 'items' | 'decisions'>): readonly ReviewDecision[] =>
  items.flatMap(({ key }): readonly ReviewDecision[] => {
    const decision = decisions.get(key);
    return decision === undefined || decision.verdict === 'skip' ? [] : [{ key, ...decision }];
  });

/** `7 decisions`: those that would be sent. */
export const decisionCount = (state: State): string => {
  const { length } = listDecisions(state);
  return length === 1 ? '1 decision' : `${length} decisions`;
};

/** The first visible item where the current one is hidden now. */
export const keepCursorVisible = (state: State): State => {
  const visible = listVisible(state);
  if (visible.some(({ key }) => key === state.currentKey)) return state;
  return { ...state, currentKey: visible[0]?.key };
};
