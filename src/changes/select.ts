import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/text.ts';
import { UsageError } from '../outcome.ts';
import { type AllMatching, type Selected, SelectedChange, type Selection, type WriteMany } from './change.ts';
import { checkAnswerable } from './confirm.ts';
import { describeNamed, describeRows, labelOf, labels } from './describe.ts';
import { checkTargets, readTargetLines, resolveIds } from './targets.ts';

/** The targets of a write: those that were named, or all that a list finds. */

const listed = async (context: Context, all: AllMatching): Promise<readonly Selected[]> => {
  const rows: Row[] = [];
  await context.watch.during(
    () => `reading the list: ${rows.length} found`,
    async () => {
      for await (const page of all.pages()) rows.push(...page.rows.filter(all.ready));
    },
  );
  const words = await describeRows(context, rows, all.columns);
  return rows.map((row, i) => {
    const id = toText(row.id);
    const known = words[i];
    return known === undefined
      ? { target: id, id, words: [] }
      : { target: id, id, before: row, words: known };
  });
};

const named = async <V>(context: Context, work: WriteMany<V>): Promise<readonly Selected[]> => {
  if (work.targets.length === 0) {
    throw new UsageError(`no ${work.noun[0]} named`, {
      hint: 'Name one or more, use - for stdin, or pass --from-file.',
    });
  }
  const targets = await readTargetLines(context, work.targets);
  await checkTargets(targets, work, (id) => work.call(id, work.values as V));
  await checkAnswerable(context, work, new Set(targets.map(({ text }) => text)).size);
  const ids = await resolveIds(targets, work);
  const found = targets.map(({ text: target }, index): Selected => {
    const id = ids[index] ?? target;
    const plain = id === target ? [target] : [target, id];
    const known = context.picked.get(id);
    return { target, id, words: known === undefined ? plain : [...known, id] };
  });
  return describeNamed(context, work, found);
};

const collect = async <V>(
  context: Context,
  work: WriteMany<V>,
  all: boolean,
): Promise<readonly Selected[]> => {
  if (!all) return named(context, work);
  if (work.targets.length > 0) throw new UsageError('--all cannot be used with named targets');
  if (work.all === undefined) throw new UsageError('this command does not take --all');
  work.call('0', work.values as V).check();
  await checkAnswerable(context, work, 'all');
  return listed(context, work.all);
};

/** @throws UsageError that tells all that is wrong with the targets; Failure (exit 5) for names of nothing */
export const selectTargets = async <V>(
  context: Context,
  work: WriteMany<V>,
  all: boolean,
): Promise<Selection> => {
  const found = await collect(context, work, all);
  const labelled = labels(context);
  const changes = found.map((one, n) => {
    const { target, id, before } = one;
    const label = labelled ? labelOf(one) : undefined;
    return new SelectedChange(work, { n, target, id, key: id, before, label });
  });
  return {
    changes,
    words: ({ n }) => found[n]?.words ?? [],
    facts: work.facts ?? [],
    none: `no ${work.noun[1]} to ${work.verb[0]}`,
  };
};
