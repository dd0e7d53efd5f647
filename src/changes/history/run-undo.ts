import { buildCall } from '../../api/calls.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, toFailureJson } from '../../outcome.ts';
import type { ChangeOfRun } from '../change.ts';
import { confirmChanges, SAMPLE_SIZE } from '../confirm.ts';
import { describeEffect } from '../describe-change.ts';
import { checkJobDestination } from '../job/destination.ts';
import { createDamagedJobError } from '../job/record.ts';
import { formatUnset, type SendResult } from '../send-result.ts';
import { checkWritable, writeChanges } from '../write.ts';
import { findEntries, getEntryId } from './entries.ts';
import { buildUndo, type Impossible } from './undo.ts';

/** `ttctl undo`. */

const WORDS = { verb: ['undo', 'undone'], noun: ['change', 'changes'] } as const;

interface UndoOptions {
  readonly force?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  readonly maxChanges?: string | undefined;
}

const STARTED = [{ field: 'at', kind: 'time' }] as const;

const listUnset = (changes: readonly ChangeOfRun[]): readonly string[] =>
  changes
    .filter(({ unset = [] }) => unset.length > 0)
    .slice(0, SAMPLE_SIZE)
    .map(({ target, label, unset = [] }) => `!          ${label ?? target}: ${formatUnset(unset)}`);

/** What stays as it is, as rows of the run: it ends as one that is not all done. @param from their first place */
const listRemaining = (
  { api }: Context,
  impossible: readonly Impossible[],
  from: number,
): readonly { readonly change: ChangeOfRun; readonly sent: SendResult }[] =>
  impossible
    .filter(({ harmless }) => harmless !== true)
    .flatMap(({ entry, why }, index) => {
      const { operation, values, target, columns } = entry.row;
      const call = buildCall(api, operation, values ?? {});
      if (call === undefined) return [];
      const failure = new Failure(`cannot be undone: ${why}`, { code: 'not_undoable', exit: EXIT.partial });
      const { message } = failure;
      const result = { target, status: 'failed', operation, message, error: toFailureJson(failure) } as const;
      const change = { n: from + index, key: getEntryId(entry), target, columns, after: {}, call };
      return [{ change, sent: { result, failure } }];
    });

/**
 * Takes back a write, or all writes of a run.
 * @param id of an entry or a run
 * @throws UsageError (exit 2) for an id of nothing, and where nothing can be undone; else as `writeChanges`
 */
export const undoEntries = async (context: Context, id: string, options: UndoOptions): Promise<void> => {
  checkWritable(context);
  await context.output.checkNames();
  const service = await context.jobs();
  const { run: of, head, entries, isPartial } = findEntries(service, id);
  if (isPartial) throw createDamagedJobError(of, isPartial);
  if (head !== undefined) await checkJobDestination(context, head, id, ['undo', id]);
  const run = await buildUndo(context, id, entries, options.force === true);
  const { changes, knownResults, impossible } = run;
  for (const { entry, why } of impossible) context.output.warn(`${entry.row.target} left unchanged: ${why}`);
  const isPlanned = context.settings.dryRun.value;
  const remaining = isPlanned ? [] : listRemaining(context, impossible, changes.length);
  const write = { ...WORDS, needsConfirmation: true };
  const [[started = ''] = []] = await context.output.inWords([{ at: head?.started_at }], STARTED);
  const selection = {
    changes,
    knownResults,
    facts: [`undoes     ${head?.command ?? id}`, `sent       ${started}`, ...listUnset(changes)],
    noneMessage: 'Nothing to undo.',
    words: async ({ n, target, label, call }: ChangeOfRun) => {
      const { before = {}, after } = run.observations.get(n) ?? {};
      const effect = { operation: call.operation.id, before, after };
      return [label ?? '', after === undefined ? '' : await describeEffect(context.output, effect), target];
    },
  };
  const confirmed = await confirmChanges(context, write, selection, { ...options });
  await writeChanges(context, {
    ...WORDS,
    undoes: id,
    changes: [...changes, ...remaining.map(({ change }) => change)],
    knownResults: new Map([
      ...knownResults,
      ...remaining.map(({ change, sent }) => [change.n, sent] as const),
    ]),
    confirmed,
    exitCode: options.exitCode === true,
  });
};
