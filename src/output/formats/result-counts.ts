import type { TargetResult } from '../../context.ts';

/** What has become of targets in words, and how often. Pure. */

/** `timesheets.approve` is `approved`, `timesheets.submit` `submitted`. */
const pastOf = (operation: string): string => {
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
};

/** What has become of it in one word: `approved`, `failed`. */
export const describeOutcome = ({ status, operation }: TargetResult): string =>
  status === 'done' ? pastOf(operation) : status;

/** How often what has become of a target. */
export type OutcomeCounts = Map<string, { readonly status: TargetResult['status']; count: number }>;

export const countResult = (counts: OutcomeCounts, result: TargetResult): void => {
  const word = describeOutcome(result);
  const known = counts.get(word) ?? { status: result.status, count: 0 };
  counts.set(word, { ...known, count: known.count + 1 });
};

/** `2 approved, 1 failed`, the failures last. */
export const formatOutcomeCounts = (counts: OutcomeCounts): string =>
  (['done', 'planned', 'skipped', 'unknown', 'failed'] as const)
    .flatMap((status) => [...counts].filter(([, one]) => one.status === status))
    .map(([word, { count }]) => `${count} ${word}`)
    .join(', ');
