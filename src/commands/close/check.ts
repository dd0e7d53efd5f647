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

export const closeCheck = defineCommand({
  path: 'close check',
  about: 'check whether a period can be closed (exit 10 if anything is open)',
  examples: [
    'ttctl close check --period last-month',
    'ttctl close check --period 2026-10 --output csv --columns member.name,member.email,message',
    'ttctl close check --period 2026-10 --group-by code',
  ],
  more: closeHelp,
  prints: { shape: 'list', fields: CLOSE_FIELDS },
  exits: [...SERVICE_EXITS, 10],
  flags: [
    { ...periodFlag, about: 'period to check: last-month, 2026-10, 2026-W40, 2026-Q3; required', needed: {} },
    flag(memberFilter, 'members', { as: 'member', lookup: 'member' }),
    ...groupFlags,
    zoneFlag,
  ],
  run: async (context, { values, options }) => {
    if (options.period === undefined) throw new UsageError('missing --period', { code: 'missing_value' });
    const { checkClose } = await import('./run-check.ts');
    await checkClose(context, {
      from: String(values.date_from),
      to: String(values.date_to),
      members: values.members as readonly unknown[] | undefined,
      period: options.period ?? '',
      memberWords: ((options as Readonly<Record<string, unknown>>).member ?? []) as readonly string[],
      where: options.where,
      grouped: options.groupBy !== undefined,
    });
  },
});
