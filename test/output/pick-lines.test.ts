import { expect, it } from 'vitest';
import { PLAIN_PALETTE } from '../../src/output/palette.ts';
import type { PickFeed } from '../../src/output/pick-feed.ts';
import { renderPicker } from '../../src/output/pick-lines.ts';
import { INITIAL_PICK_STATE, type PickItem } from '../../src/output/pick-list.ts';

/** The lines of a list to pick from: what a narrow terminal shows of it. */

const item = (...cells: string[]): PickItem => ({ row: {}, cells, text: cells.join(' ') });

const linesOf = (
  items: readonly PickItem[],
  width: number,
  { several = false, marked = [] }: { several?: boolean; marked?: readonly PickItem[] } = {},
): readonly string[] => {
  const feed: PickFeed = {
    items,
    widths: [0, 1].map((i) => Math.max(...items.map(({ cells }) => cells[i]?.length ?? 0))),
    measure: (text) => text.length,
    reading: false,
    problem: '',
    other: () => undefined,
    keep: () => {},
    watch: () => () => {},
    stop: () => {},
  };
  const style = {
    unicode: true,
    timeZone: 'UTC',
    now: () => 0,
    showSecrets: false,
    palette: PLAIN_PALETTE,
    width,
  };
  const layout = { message: 'Member', several, style, height: () => 24 };
  const columns = [{ field: 'name' }, { field: 'email', drop: 1 }];
  return renderPicker({ ...INITIAL_PICK_STATE, marked: new Set(marked) }, feed, items, layout, columns).split(
    '\n',
  );
};

it('says what Enter does: it takes the current one, or those that are selected', () => {
  const [ana, bo] = [item('Ana', 'ana@example.com'), item('Bo', 'bo@example.com')];
  const helpOf = (marked: readonly PickItem[]) => linesOf([ana, bo], 80, { several: true, marked }).at(-1);
  expect(helpOf([])).toBe('2; type to search, Space or Tab to select, Enter to choose it');
  expect(helpOf([bo])).toBe('2, 1 selected; type to search, Space or Tab to select, Enter to continue');
});

it('shortens a long text before it drops a column', () => {
  const long = 'Maximiliane Wilhelmine von Hohenstein zu Sonnenfels und Lichtenberg';
  const [first = '', second = ''] = linesOf(
    [item(long, 'max@example.com'), item('Ana Silva', 'ana@example.com')],
    80,
  );
  expect(first).toMatch(/^> Maximiliane Wilhelmine von .*… {2}max@example\.com$/);
  expect(second).toMatch(/^ {2}Ana Silva +ana@example\.com$/);
  expect(first.length).toBeLessThan(80);
});
