import type { Credential } from '../../auth/credentials.ts';
import {
  countDaysUntil,
  formatExpiryDay,
  getSignInExpiry,
  getTokenExpiry,
  isRenewable,
} from '../../auth/sign-in.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';

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

/** When the sign-in of a run ends. */

const formatAdvice = (stored: Credential, profile: string): string => {
  if (isRenewable(stored)) return `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`;
  const flag = stored.kind === 'personal' ? ' --token-stdin' : '';
  return `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}${flag}`;
};

interface SignInEnd {
  /** ISO 8601; null: nobody knows, or never. */
  readonly expiry: string | null;
  /** That nobody knows it, and what to do. */
  readonly unknown?: readonly [problem: string, hint: string];
  /** What to do before it ends. */
  readonly advice: string;
}

const readTokenEnd = ({ settings: { tokenCreated } }: Context): SignInEnd => {
  const advice = 'Create a new token, and set TTCTL_TOKEN and TTCTL_TOKEN_CREATED.';
  if (tokenCreated !== undefined) return { expiry: getTokenExpiry(tokenCreated.value), advice };
  const hint = 'Set TTCTL_TOKEN_CREATED to the day it was created.';
  return { expiry: null, advice, unknown: ['TTCTL_TOKEN has no known expiry', hint] };
};

/** @throws Failure (exit 3) when there is no credential */
const readEnd = async (context: Context): Promise<SignInEnd> => {
  const { settings, credentials, identity } = context;
  if (settings.token !== undefined) return readTokenEnd(context);
  const profile = settings.profile.value;
  const stored = (await credentials()).read(profile);
  if (stored === undefined) {
    await identity();
    return { expiry: null, advice: '' };
  }
  const advice = formatAdvice(stored, profile);
  const expiry = getSignInExpiry(stored);
  if (expiry !== null || stored.kind === 'client') return { expiry, advice };
  return { expiry, advice, unknown: ['the sign-in has no known expiry', advice] };
};

/** @throws Failure (exit 10) where it has to be known */
const reportUnknown = ({ output }: Context, { unknown }: SignInEnd, strict: boolean): void => {
  const [problem, hint] = unknown ?? [];
  if (problem === undefined) {
    output.note('It has no known expiry.');
    return;
  }
  if (strict) throw new Failure(problem, { code: 'unknown_end', exit: EXIT.found, hint });
  output.note(`${problem}, so nothing was checked. ${hint}`);
};
