import type { PickedRecord, PickOptions } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { formatInWords } from './describe-rows.ts';
import { getRows, truncateText } from './layout.ts';
import { openPickFeed, type PickFeed } from './pick-feed.ts';
import {
  getEllipsis,
  getPickerWidth,
  MAX_PICKER_HEIGHT,
  type PickerLayout,
  renderPicker,
} from './pick-lines.ts';
import {
  findItems,
  getPosition,
  INITIAL_PICK_STATE,
  listPicked,
  movePosition,
  type PickItem,
  type PickState,
  toggleItem,
  typeSearch,
} from './pick-list.ts';
import {
  askQuestion,
  type Core,
  type CreatePrompt,
  createPromptPage,
  isCtrlD,
  type PromptControls,
  type PromptKey,
  type QuestionOptions,
  usePromptControls,
} from './question.ts';

/** Picks records: search as one types, up and down, several where the question takes several. */

type Columns = PickOptions['columns'];

const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  pageup: -MAX_PICKER_HEIGHT,
  pagedown: MAX_PICKER_HEIGHT,
};

type PickerAction = 'end' | 'move' | 'pick' | 'mark' | 'nothing' | 'type';

const toAction = (core: Core, key: PromptKey, { search }: PickState, several: boolean): PickerAction => {
  if (isCtrlD(key)) return 'end';
  if (STEPS[key.name] !== undefined) return 'move';
  if (core.isEnterKey(key)) return 'pick';
  if (key.name === 'tab') return several ? 'mark' : 'nothing';
  return several && key.name === 'space' && search === '' ? 'mark' : 'type';
};

/** What was typed is in the list, or is taken as it is where the question allows that. */
const listShown = (feed: PickFeed, { search }: PickState): readonly PickItem[] => {
  const hits = findItems(feed.items, search);
  const text = search.trim();
  const own = text === '' ? undefined : feed.other(text);
  const known = own === undefined || hits.some(({ cells }) => cells[0] === own.cells[0]);
  return known ? hits : [...hits, own];
};

type ActionHandlers = Readonly<Record<PickerAction, (key: PromptKey, line: string) => void>>;

interface Handlers {
  readonly end: () => void;
  readonly set: (state: PickState) => void;
  readonly pick: (items: readonly PickItem[]) => void;
}

const createHandlers = (
  state: PickState,
  shown: readonly PickItem[],
  feed: PickFeed,
  { end, set, pick }: Handlers,
): ActionHandlers => ({
  end,
  nothing: () => {},
  type: (_key, line) => set(typeSearch(state, line)),
  move: ({ name }) => set(movePosition(state, shown, STEPS[name] ?? 0)),
  mark: () => {
    const item = shown[getPosition(shown, state)];
    if (item !== undefined) feed.keep(item);
    set(toggleItem(state, shown));
  },
  pick: () => {
    const items = listPicked(state, feed.items, shown);
    if (items.length > 0) pick(items);
    else set({ ...state, message: 'No matches.' });
  },
});

const pickPrompt =
  (feed: PickFeed, layout: PickerLayout, columns: Columns): CreatePrompt<readonly PickItem[]> =>
  (core) =>
    core.createPrompt<readonly PickItem[], PromptControls>((controls, done) => {
      const [state, setState] = core.useState<PickState>(INITIAL_PICK_STATE);
      const [answer, setAnswer] = core.useState<string | undefined>(undefined);
      const [, setSeen] = core.useState(0);
      const below = core.useRef(0);
      usePromptControls(core, controls, () => createPromptPage(below.current));
      core.useEffect(() => {
        let seen = 0;
        return feed.watch(() => setSeen(++seen));
      }, []);
      const shown = listShown(feed, state);
      const pick = (items: readonly PickItem[]): void => {
        setAnswer(items.map(({ cells }) => cells[0]).join(', '));
        done(items);
      };
      const handlers = createHandlers(state, shown, feed, { end: controls.end, set: setState, pick });
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        const action = toAction(core, key, state, layout.several);
        if (action !== 'end' && action !== 'type') {
          // Readline has taken the key into its line, or the line with it.
          rl.clearLine(0);
          rl.write(state.search);
        }
        handlers[action](key, rl.line);
      });
      if (answer !== undefined) {
        const line = `${layout.message}: ${answer}`;
        return truncateText(line, getPickerWidth(layout), feed.measure, getEllipsis(layout));
      }
      const list = renderPicker(state, feed, shown, layout, columns);
      below.current = list.split('\n').length;
      return [`${layout.message}: ${state.search}`, list];
    });

/** @returns none where there is no record at all @throws Cancelled, and what the first page throws */
export const pickFrom = async (
  options: QuestionOptions,
  picking: PickOptions,
  style: PeopleStyle,
): Promise<readonly PickedRecord[]> => {
  const feed = await openPickFeed(picking, style);
  try {
    if (feed.items.length === 0 && picking.other === undefined) return [];
    const { message, several = false, columns } = picking;
    const layout: PickerLayout = { message, several, style, height: () => getRows(options.stderr) };
    const items = await askQuestion(options, pickPrompt(feed, layout, columns));
    return items.map(({ row }) => ({
      row,
      words: formatInWords(row, columns, style).filter((word) => word !== ''),
    }));
  } finally {
    feed.stop();
  }
};
