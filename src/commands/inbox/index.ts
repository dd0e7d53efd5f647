import { operations } from '../../api/operations.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { INBOX_KINDS, type InboxKind } from '../../pending/item.ts';
import { SERVICE_EXITS } from '../answers.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from '../flags.ts';
import { inboxFields, inboxUndo } from './fields.ts';

const { leaves } = operations;

/** The kinds as a flag of the table would have them. */
const kindFilter = {
  id: 'inbox',
  parameters: { kinds: { type: 'string[]', about: 'only these types', choices: INBOX_KINDS } },
} as const;

type Options = Readonly<Record<string, unknown>>;

const isPlain = ({ settings: { output, columns, sort, query } }: Context, { groupBy }: Options): boolean =>
  output.value.shape === 'screen' &&
  [columns, sort, query, groupBy].every((setting) => setting === undefined);

const show = async (context: Context, values: Options, options: Options): Promise<void> => {
  const { showInbox } = await import('./show.ts');
  await showInbox(context, isPlain(context, options) && context.reviews.available, {
    kinds: (values.kinds as readonly InboxKind[] | undefined) ?? INBOX_KINDS,
    userId: values.user_id as number | undefined,
    from: values.date_from as string | undefined,
    to: values.date_to as string | undefined,
  });
};

/** `ttctl inbox`: all that waits for a decision; on a terminal a screen to decide on it. */
export const inbox = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: [
      'ttctl inbox',
      'ttctl inbox --kind timesheet,leave --period last-week',
      'ttctl inbox --no-input',
      'ttctl inbox --output json --query "[?warnings].[kind, member, warning_messages]"',
      'ttctl inbox --kind timesheet --output ids',
      'ttctl inbox --group-by member --sum hours',
    ],
    more: [inboxUndo],
    writes: true,
    prints: { shape: 'list', fields: inboxFields },
    exits: [...SERVICE_EXITS, 8, 9],
    flags: [
      ...groupFlags,
      flag(kindFilter, 'kinds', { as: 'kind' }),
      flag(leaves.list, 'user_id', { as: 'member', lookup: 'member', about: 'only requests of this member' }),
      flag(leaves.list, 'date_from', { about: 'only requests for this day or later' }),
      flag(leaves.list, 'date_to', { about: 'only requests for this day or earlier' }),
      periodFlag,
      { name: 'limit', value: 'n', about: 'at most <n> rows, oldest first' },
      zoneFlag,
    ],
    run: (context, { values, options }) => show(context, values, options),
  });
