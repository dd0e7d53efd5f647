import { isOperation } from '../api/operations.ts';
import { hasUnknownOutcome } from '../api/reply.ts';
import { type Failure, withHint } from '../outcome.ts';
import { placeholder } from '../parsing/shell-word.ts';
import type { Change } from './change.ts';
import type { WriteOutcome } from './reconcile.ts';

/** What to say of a write whose answer was lost, once the service's records have been looked at. */

type SentChange = Pick<Change, 'call' | 'target'>;

/**
 * The command that shows what has become of a write; undefined where none does.
 * @param created the id of the record that it made, where that is known
 */
export const formatInspectLine = (
  { call: { operation, values, commandLine }, target }: SentChange,
  created?: string,
): string | undefined => {
  const [noun = '', verb = ''] = operation.id.split('.');
  if (noun === 'time-tracking') return undefined;
  const project = values.project_id ?? placeholder('project');
  if (noun === 'tasks' && verb.endsWith('assign'))
    return commandLine`ttctl tasks assignees ${values.taskId} --project ${project}`;
  const id = created ?? (operation.path.includes('{') ? target : undefined);
  if (id === undefined && noun === 'tasks') return commandLine`ttctl tasks list --project ${project}`;
  if (id === undefined) return commandLine`ttctl ${noun} list`;
  // Of some a list alone shows a record by its id.
  return isOperation(`${noun}.get`)
    ? commandLine`ttctl ${noun} get ${id}`
    : commandLine`ttctl ${noun} list --id ${id}`;
};

const WHY: Readonly<Record<NonNullable<WriteOutcome['why']>, string>> = {
  interrupted: 'the run was interrupted before the records were checked',
  unread: 'the records could not be read either',
  unclear: 'the records do not show the outcome',
  late: 'the records do not show it yet',
};

const CHECK_FIRST = 'Check before sending it again';

/** To whoever does not know what became of a write. */
export const formatInspectHint = (change: SentChange): string => {
  const line = formatInspectLine(change);
  return line === undefined ? `${CHECK_FIRST}.` : `${CHECK_FIRST}: ${line}`;
};

const formatFinding = (change: SentChange, { became, why = 'unclear' }: WriteOutcome): string => {
  if (became === 'not-done') return 'The records show that it was not done. It is safe to send it again.';
  const line = formatInspectLine(change);
  const checkFirst = line === undefined ? CHECK_FIRST : `${CHECK_FIRST} (${line})`;
  return `It may have been carried out: ${WHY[why]}. ${checkFirst}.`;
};

/** The failure of a write with what is known of it since; as it is where it was clear from the answer. */
export const explainUnknownOutcome = (
  failure: Failure,
  change: SentChange,
  outcome: WriteOutcome,
): Failure => {
  if (!hasUnknownOutcome(failure)) return failure;
  return withHint(failure, {
    hint: [formatFinding(change, outcome), failure.hint].filter(Boolean).join(' '),
  });
};
