import type { Picked, Picking } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { wordsOf } from './in-words.ts';
import { type Feed, openFeed } from './pick-feed.ts';
import { ellipsis, type Look, pickLines, roomOf, TALLEST } from './pick-lines.ts';
import {
  found,
  type Item,
  moved,
  type PickState,
  picked,
  positionOf,
  START,
  toggled,
  typed,
} from './pick-list.ts';
import {
  type Ask,
  ask,
  type Core,
  isCtrlD,
  type Key,
  pageOf,
  type QuestionOptions,
  type Reins,
  useReins,
} from './question.ts';
import { cut } from './width.ts';

/** Picks records: search as one types, up and down, several where the question takes several. */

type Columns = Picking['columns'];

const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -TALLEST, pagedown: TALLEST };

type Act = 'end' | 'move' | 'pick' | 'mark' | 'nothing' | 'type';

const actOf = (core: Core, key: Key, { search }: PickState, several: boolean): Act => {
  if (isCtrlD(key)) return 'end';
  if (STEPS[key.name] !== undefined) return 'move';
  if (core.isEnterKey(key)) return 'pick';
  if (key.name === 'tab') return several ? 'mark' : 'nothing';
  return several && key.name === 'space' && search === '' ? 'mark' : 'type';
};

/** What was typed is in the list, or is taken as it is where the question allows that. */
const shownOf = (feed: Feed, { search }: PickState): readonly Item[] => {
  const hits = found(feed.items, search);
  const text = search.trim();
  const own = text === '' ? undefined : feed.other(text);
  const known = own === undefined || hits.some(({ cells }) => cells[0] === own.cells[0]);
  return known ? hits : [...hits, own];
};

type Acts = Readonly<Record<Act, (key: Key, line: string) => void>>;

interface Handlers {
  readonly end: () => void;
  readonly set: (state: PickState) => void;
  readonly pick: (items: readonly Item[]) => void;
}

const actsOn = (
  state: PickState,
  shown: readonly Item[],
  feed: Feed,
  { end, set, pick }: Handlers,
): Acts => ({
  end,
  nothing: () => {},
  type: (_key, line) => set(typed(state, line)),
  move: ({ name }) => set(moved(state, shown, STEPS[name] ?? 0)),
  mark: () => {
    const item = shown[positionOf(shown, state)];
    if (item !== undefined) feed.keep(item);
    set(toggled(state, shown));
  },
  pick: () => {
    const items = picked(state, feed.items, shown);
    if (items.length > 0) pick(items);
    else set({ ...state, complaint: 'No matches.' });
  },
});

const pickPrompt =
  (feed: Feed, look: Look, columns: Columns): Ask<readonly Item[]> =>
  (core) =>
    core.createPrompt<readonly Item[], Reins>((reins, done) => {
      const [state, setState] = core.useState<PickState>(START);
      const [answer, setAnswer] = core.useState<string | undefined>(undefined);
      const [, setSeen] = core.useState(0);
      const below = core.useRef(0);
      useReins(core, reins, () => pageOf(below.current));
      core.useEffect(() => {
        let seen = 0;
        return feed.watch(() => setSeen(++seen));
      }, []);
      const shown = shownOf(feed, state);
      const pick = (items: readonly Item[]): void => {
        setAnswer(items.map(({ cells }) => cells[0]).join(', '));
        done(items);
      };
      const acts = actsOn(state, shown, feed, { end: reins.end, set: setState, pick });
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        const what = actOf(core, key, state, look.several);
        if (what !== 'end' && what !== 'type') {
          // Readline has taken the key into its line, or the line with it.
          rl.clearLine(0);
          rl.write(state.search);
        }
        acts[what](key, rl.line);
      });
      if (answer !== undefined) {
        const line = `${look.message}: ${answer}`;
        return cut(line, roomOf(look), feed.measure, ellipsis(look));
      }
      const list = pickLines(state, feed, shown, look, columns);
      below.current = list.split('\n').length;
      return [`${look.message}: ${state.search}`, list];
    });

const heightOf = (stream: NodeJS.WritableStream): number =>
  'rows' in stream && typeof stream.rows === 'number' && stream.rows > 0 ? stream.rows : 24;

/** @returns none where there is no record at all @throws Cancelled, and what the first page throws */
export const pickFrom = async (
  options: QuestionOptions,
  picking: Picking,
  style: PeopleStyle,
): Promise<readonly Picked[]> => {
  const feed = await openFeed(picking, style);
  try {
    if (feed.items.length === 0 && picking.other === undefined) return [];
    const { message, several = false, columns } = picking;
    const look: Look = { message, several, style, height: () => heightOf(options.stderr) };
    const items = await ask(options, pickPrompt(feed, look, columns));
    return items.map(({ row }) => ({
      row,
      words: wordsOf(row, columns, style).filter((word) => word !== ''),
    }));
  } finally {
    feed.stop();
  }
};
