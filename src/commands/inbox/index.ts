import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { groupFlags, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { inboxDecide } from './decide.ts';
import { discardFlag, inboxDraft, inboxFields, inboxFilters, inboxUndo, readInboxFilter } from './fields.ts';

type Options = Readonly<Record<string, unknown>>;

const isPlain = ({ settings: { output, columns, sort, query } }: Context, { groupBy }: Options): boolean =>
  output.value.shape === 'screen' &&
  [columns, sort, query, groupBy].every((setting) => setting === undefined);

const show = async (context: Context, values: Options, options: Options): Promise<void> => {
  const { discardDraft, showInbox } = await import('./show.ts');
  if (options.discardDraft === true) await discardDraft(context);
  const filter = readInboxFilter(values);
  const where = options.where === undefined ? undefined : String(options.where);
  await showInbox(context, isPlain(context, options) && context.reviews.available, filter, where);
};

/** `ttctl inbox`: all that waits for a decision; on a terminal a screen to decide on it. */
export const inbox = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    verbs: [inboxDecide],
    examples: [
      'ttctl inbox',
      'ttctl inbox --kind timesheet,leave --period last-week',
      "ttctl inbox --where 'warnings != `[]`' --output json",
      'ttctl inbox --kind timesheet --output ids',
      'ttctl inbox --group-by member --sum hours',
    ],
    more: [inboxDraft, inboxUndo],
    writes: true,
    prints: { shape: 'list', fields: inboxFields },
    exits: [...SERVICE_EXITS, 8, 9],
    flags: [
      ...groupFlags,
      ...inboxFilters,
      { name: 'limit', value: 'n', about: 'at most <n> rows, oldest first' },
      zoneFlag,
      discardFlag,
    ],
    run: (context, { values, options }) => show(context, values, options),
  });
