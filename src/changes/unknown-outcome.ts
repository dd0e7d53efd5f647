import { isOperation } from '../api/operations.ts';
import { type Failure, hasUnknownOutcome, withHint } from '../errors.ts';
import { placeholder } from '../parsing/shell-word.ts';
import type { Change } from './change.ts';
import type { LookResult } from './look-up.ts';

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

const WHY: Readonly<Record<Exclude<LookResult['shown'], 'done'>, string>> = {
  'not-done': 'It may still be carried out: the records do not show it yet.',
  interrupted: 'It may have been carried out: the wait for it was interrupted.',
  unread: 'It may have been carried out: the records could not be read either.',
  unclear: 'It may have been carried out: the records do not show the outcome.',
};

const CHECK_FIRST = 'Check before sending it again';

export const formatInspectHint = (change: SentChange): string => {
  const line = formatInspectLine(change);
  return line === undefined ? `${CHECK_FIRST}.` : `${CHECK_FIRST}: ${line}`;
};

/**
 * The failure of a write whose answer was lost, and that is not shown done. What the fault alone would advise, to try
 * again, is not said: a second write may be a second record.
 * @param resumeLine looks again, and sends it only where it is shown not done
 */
export const explainSilence = (
  failure: Failure,
  change: SentChange,
  shown: Exclude<LookResult['shown'], 'done'>,
  resumeLine?: string,
): Failure => {
  const next =
    resumeLine === undefined
      ? formatInspectHint(change)
      : `To check again, and send it only if it was not done: ${resumeLine}`;
  return hasUnknownOutcome(failure) ? withHint(failure, { hint: `${WHY[shown]} ${next}` }) : failure;
};
