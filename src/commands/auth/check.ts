import type { Credential } from '../../auth/credentials.ts';
import { countDaysUntil, formatExpiryDay, getSignInExpiry, isRenewable } from '../../auth/sign-in.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';

const parseDays = (raw: unknown): number => {
  if (!/^\d{1,5}$/.test(String(raw))) throw new UsageError(`--min-days: "${raw}" is not a whole number`);
  return Number(raw);
};

/** @throws Failure (exit 3) when there is no credential; `undefined`: one whose end nobody knows */
const readStored = async ({ settings, credentials, identity }: Context): Promise<Credential | undefined> => {
  if (settings.token !== undefined) return undefined;
  const stored = (await credentials()).read(settings.profile.value);
  if (stored === undefined) await identity();
  return stored;
};

const formatAdvice = (stored: Credential, profile: string): string => {
  if (isRenewable(stored)) return `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`;
  const flag = stored.kind === 'personal' ? ' --token-stdin' : '';
  return `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}${flag}`;
};

export const authCheck = defineCommand({
  path: 'auth check',
  about: 'fail if the sign-in expires soon, without contacting the service',
  examples: ['ttctl auth check --min-days 14', 'ttctl auth check --profile work --quiet'],
  prints: { shape: 'record', fields: ['profile', 'ends_at', 'days_left', 'min_days'] },
  exits: [3, 10],
  flags: [{ name: 'min-days', value: 'n', about: 'days that must remain', default: '14' }],
  run: async (context, { options }) => {
    const { settings, output, clock } = context;
    const minDays = parseDays(options.minDays);
    const profile = settings.profile.value;
    const stored = await readStored(context);
    const expiry = stored === undefined ? null : getSignInExpiry(stored);
    const daysLeft = expiry === null ? null : countDaysUntil(expiry, clock.now());
    const silent = settings.quiet.value && settings.output.value.shape === 'screen';
    if (!silent) await output.record({ profile, ends_at: expiry, days_left: daysLeft, min_days: minDays });
    if (settings.token !== undefined)
      return output.note('TTCTL_TOKEN has no known expiry, so nothing was checked.');
    if (stored === undefined || expiry === null) return output.note('It has no known expiry.');
    if (daysLeft === null || daysLeft >= minDays) return;
    throw new Failure(
      `the sign-in of profile ${profile} expires on ${formatExpiryDay(expiry, clock.now(), context.timeZone)}`,
      {
        code: 'ends_soon',
        exit: EXIT.found,
        reason: daysLeft < 0 ? 'It has expired.' : `${daysLeft} days remain; ${minDays} are required.`,
        hint: formatAdvice(stored, profile),
      },
    );
  },
});
