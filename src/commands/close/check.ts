import { defineCommand } from '../../cli/command.ts';
import { CLOSE_FIELDS } from '../../close/finding.ts';
import { UsageError } from '../../outcome.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { closeHelp } from './help.ts';

const memberFilter = {
  id: 'close',
  parameters: { members: { type: 'integer[]', about: 'only these members' } },
} as const;

const requireOneFile = ({ save, since }: { readonly save?: unknown; readonly since?: unknown }): void => {
  if (save !== undefined && since !== undefined) throw new UsageError('--save cannot be used with --since');
  if (save === '-') throw new UsageError('--save needs a file: stdout has the findings');
};

export const closeCheck = defineCommand({
  path: 'close check',
  about: 'check whether a period can be closed (exit 10 if anything is open)',
  examples: [
    'ttctl close check --period last-month',
    'ttctl close check --period 2026-10 --output csv --columns member.name,member.email,message',
    'ttctl close check --period 2026-10 --group-by code',
    'ttctl close check --period 2026-10 --save october.close',
    'ttctl close check --period 2026-10 --since october.close',
  ],
  more: closeHelp,
  prints: { shape: 'list', fields: CLOSE_FIELDS },
  exits: [...SERVICE_EXITS, 10],
  flags: [
    { ...periodFlag, about: 'period to check: last-month, 2026-10, 2026-W40, 2026-Q3; required', needed: {} },
    flag(memberFilter, 'members', { as: 'member', lookup: 'member' }),
    { name: 'save', value: 'file', about: 'save what the check saw, for --since' },
    {
      name: 'since',
      value: 'file',
      about: 'also list what was changed since the check that wrote this file',
    },
    ...groupFlags,
    zoneFlag,
  ],
  run: async (context, { values, options }) => {
    requireOneFile(options);
    if (options.period === undefined) throw new UsageError('missing --period', { code: 'missing_value' });
    const { checkClose } = await import('./run-check.ts');
    await checkClose(context, {
      from: String(values.date_from),
      to: String(values.date_to),
      members: values.members as readonly unknown[] | undefined,
      period: options.period ?? '',
      memberWords: ((options as Readonly<Record<string, unknown>>).member ?? []) as readonly string[],
      save: options.save,
      since: options.since,
      where: options.where,
      grouped: options.groupBy !== undefined,
    });
  },
});
