import { countDaysUntil, formatExpiryDay } from '../../auth/sign-in.ts';
import { defineCommand } from '../../cli/command.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { readEnd, reportUnknown } from './sign-in-end.ts';

const parseDays = (raw: unknown): number => {
  if (!/^\d{1,5}$/.test(String(raw))) throw new UsageError(`--min-days: "${raw}" is not a whole number`);
  return Number(raw);
};

export const authCheck = defineCommand({
  path: 'auth check',
  about: 'fail if the sign-in expires soon, without contacting the service',
  examples: [
    'ttctl auth check --min-days 14',
    'ttctl auth check --profile work --quiet',
    'ttctl auth check --strict',
  ],
  prints: { shape: 'record', fields: ['profile', 'ends_at', 'days_left', 'min_days'] },
  exits: [3, 10],
  flags: [
    { name: 'min-days', value: 'n', about: 'days that must remain', default: '14' },
    { name: 'strict', about: 'exit with 10 if the expiry is not known' },
  ],
  run: async (context, { options }) => {
    const { settings, output, clock } = context;
    const minDays = parseDays(options.minDays);
    const profile = settings.profile.value;
    const end = await readEnd(context);
    const { expiry, advice: hint } = end;
    const daysLeft = expiry === null ? null : countDaysUntil(expiry, clock.now());
    const silent = settings.quiet.value && settings.output.value.shape === 'screen';
    if (!silent) await output.record({ profile, ends_at: expiry, days_left: daysLeft, min_days: minDays });
    if (expiry === null) return reportUnknown(context, end, options.strict === true);
    if (daysLeft === null || daysLeft >= minDays) return;
    const what = settings.token === undefined ? `the sign-in of profile ${profile}` : 'TTCTL_TOKEN';
    throw new Failure(`${what} expires on ${formatExpiryDay(expiry, clock.now(), context.timeZone)}`, {
      code: 'ends_soon',
      exit: EXIT.found,
      reason:
        daysLeft < 0
          ? 'It has expired.'
          : `${daysLeft} ${daysLeft === 1 ? 'day remains' : 'days remain'}; ${minDays} required.`,
      hint,
    });
  },
});
