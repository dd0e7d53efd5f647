import type { Row } from '../api/page.ts';
import { describeEffect } from '../changes/describe-change.ts';
import type { Column } from '../output/list-view.ts';
import type { Run } from '../run.ts';

/** What a write changed, or what has changed since, in words: `hours a week: 40 → 32`. */
export function createChangeColumn({ output }: Pick<Run, 'output'>): Column {
  const texts = new Map<Row, string>();
  const describe = async (row: Row): Promise<void> => {
    const { operation, before, after } = row as Pick<Row, 'before'> & Parameters<typeof describeEffect>[1];
    if (before === null && after === null) return;
    texts.set(
      row,
      await describeEffect(output, { operation, after, ...(before === null ? {} : { before }) }),
    );
  };
  return {
    field: 'change',
    derived: true,
    load: async (rows) => {
      for (const row of rows) await describe(row);
    },
    show: (row) => texts.get(row) ?? '',
    least: 20,
    wrap: true,
  };
}
