import { buildCall } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, toFailureJson } from '../../outcome.ts';
import { createCommandTemplate } from '../../parsing/shell-word.ts';
import type { ChangeOfRun } from '../change.ts';
import { confirmChanges } from '../confirm.ts';
import { checkJobDestination } from '../job/destination.ts';
import type { SendResult } from '../send-result.ts';
import { writeChanges } from '../write.ts';
import { findEntries, getEntryId } from './entries.ts';
import { buildUndo, type Impossible } from './undo.ts';

/** `ttctl undo`. */

const WORDS = { verb: ['undo', 'undone'], noun: ['change', 'changes'] } as const;

interface UndoOptions {
  readonly force?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  readonly maxChanges?: string | undefined;
}

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
  await context.output.checkNames();
  const service = await context.jobs();
  const entries = findEntries(service, id);
  const [{ head } = {}] = entries;
  if (head !== undefined) {
    const line = (flags: readonly string[]): string => {
      const commandLine = createCommandTemplate(flags);
      return commandLine`ttctl undo ${id}`;
    };
    await checkJobDestination(context, head, { name: id, line });
  }
  const { changes, knownResults, impossible } = await buildUndo(context, id, entries, options.force === true);
  for (const { entry, why } of impossible) context.output.warn(`${entry.row.target} stays as it is: ${why}`);
  const isPlanned = context.settings.dryRun.value;
  const remaining = isPlanned ? [] : listRemaining(context, impossible, changes.length);
  const write = { ...WORDS, needsConfirmation: true };
  const selection = {
    changes,
    knownResults,
    facts: [`undoes     ${head?.command ?? id}, ${head?.started_at}`],
    noneMessage: 'Nothing to undo.',
    words: ({ target, label, call }: (typeof changes)[number]) => [label ?? '', target, call.operation.id],
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
