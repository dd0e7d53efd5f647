import type { Credential } from '../../auth/credentials.ts';
import { getSignInExpiry, getTokenExpiry, isRenewable } from '../../auth/sign-in.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';

/** When the sign-in of a run ends. */

const formatAdvice = (stored: Credential, profile: string): string => {
  if (isRenewable(stored)) return `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`;
  const flag = stored.kind === 'personal' ? ' --token-stdin' : '';
  return `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}${flag}`;
};

/** What is known of the sign-in of this run. */
export interface SignInEnd {
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
export const readEnd = async (context: Context): Promise<SignInEnd> => {
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
export const reportUnknown = ({ output }: Context, { unknown }: SignInEnd, strict: boolean): void => {
  const [problem, hint] = unknown ?? [];
  if (problem === undefined) {
    output.note('It has no known expiry.');
    return;
  }
  if (strict) throw new Failure(problem, { code: 'unknown_end', exit: EXIT.found, hint });
  output.note(`${problem}, so nothing was checked. ${hint}`);
};
