import type { Picked, Picking } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { wordsOf } from './in-words.ts';
import { fitTracks, GAP } from './layout.ts';
import { type Feed, openFeed } from './pick-feed.ts';
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
  windowOf,
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
import { cut, pad } from './width.ts';

/** Picks records: search as one types, up and down, several where the question takes several. */

/** So many records are on the screen at most. */
const TALLEST = 10;
/** Lines of the screen that are not records: the question, the help, and one to breathe. */
const OTHERS = 3;

interface Look {
  readonly message: string;
  readonly several: boolean;
  readonly style: PeopleStyle;
  /** Lines of the terminal. */
  readonly height: () => number;
}

/** Columns that may be used: the last one would make some terminals wrap. */
const roomOf = ({ style }: Look): number => Math.max(20, (style.width ?? 80) - 1);

const ellipsis = ({ style }: Look): string => (style.unicode ? '…' : '...');

/** Columns → the cells of each item, cut and filled so that they stand below each other. */
const fitted = (
  feed: Feed,
  look: Look,
  columns: readonly { readonly drop: number; readonly text: boolean }[],
) => {
  const used = columns.map((column, index) => ({ ...column, index, natural: feed.widths[index] ?? 0 }));
  const shown = used.filter(({ natural }) => natural > 0);
  const tracks = shown.map(({ natural, drop, text }) => ({ natural, drop, elastic: text }));
  const { kept, widths } = fitTracks(tracks, roomOf(look) - (look.several ? 6 : 2));
  return ({ cells }: Item): string =>
    kept
      .map((track, i) => {
        const text = cut(cells[shown[track]?.index ?? 0] ?? '', widths[i] ?? 0, feed.measure, ellipsis(look));
        return pad(text, widths[i] ?? 0, false, feed.measure);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
};

const helpLine = (state: PickState, feed: Feed, shown: readonly Item[], look: Look): string => {
  if (state.complaint !== '') return state.complaint;
  if (feed.trouble !== '') return `the list is not whole: ${feed.trouble}`;
  const some = shown.length < feed.items.length ? `${shown.length} of ` : '';
  const marked = state.marked.size > 0 ? `, ${state.marked.size} marked` : '';
  const count = `${some}${feed.items.length}${feed.reading ? ' so far' : ''}${marked}`;
  const keys = look.several ? 'tab marks, enter goes on' : 'enter picks';
  const long = `${count}; type to search, ${keys}`;
  return long.length > roomOf(look) ? `${count}; ${keys}` : long;
};

type Columns = Picking['columns'];

const screen = (
  state: PickState,
  feed: Feed,
  shown: readonly Item[],
  look: Look,
  columns: Columns,
): string => {
  const { palette } = look.style;
  const tracks = columns.map(({ kind = 'text', drop = 0 }, i) => ({
    drop: i === 0 ? 0 : drop,
    text: kind === 'text' || kind === 'list',
  }));
  const lineOf = fitted(feed, look, tracks);
  const position = positionOf(shown, state);
  const height = Math.max(3, Math.min(TALLEST, look.height() - OTHERS));
  const [from, to] = windowOf(shown.length, position, height);
  const lines = shown.slice(from, to).map((item, i) => {
    const mark = look.several ? (state.marked.has(item) ? '[x] ' : '[ ] ') : '';
    const text = `${mark}${lineOf(item)}`;
    return from + i === position ? palette.heading(`> ${text}`) : `  ${text}`;
  });
  if (shown.length === 0) lines.push('  nothing matches');
  const help = cut(helpLine(state, feed, shown, look), roomOf(look), feed.measure, ellipsis(look));
  return [...lines, palette.faint(help)].join('\n');
};

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
      const act: Readonly<Record<Act, (key: Key, line: string) => void>> = {
        end: reins.end,
        nothing: () => {},
        type: (_key, line) => setState(typed(state, line)),
        move: ({ name }) => setState(moved(state, shown, STEPS[name] ?? 0)),
        mark: () => {
          const item = shown[positionOf(shown, state)];
          if (item !== undefined) feed.keep(item);
          setState(toggled(state, shown));
        },
        pick: () => {
          const items = picked(state, feed.items, shown);
          if (items.length > 0) {
            setAnswer(items.map(({ cells }) => cells[0]).join(', '));
            done(items);
          } else setState({ ...state, complaint: 'Nothing matches.' });
        },
      };
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        const what = actOf(core, key, state, look.several);
        if (what !== 'end' && what !== 'type') {
          // Readline has taken the key into its line, or the line with it.
          rl.clearLine(0);
          rl.write(state.search);
        }
        act[what](key, rl.line);
      });
      if (answer !== undefined) {
        const line = `${look.message}: ${answer}`;
        return cut(line, roomOf(look), feed.measure, ellipsis(look));
      }
      const list = screen(state, feed, shown, look, columns);
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
