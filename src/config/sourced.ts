import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Environment } from './paths.ts';

/** A value and where it came from, so that `profile show` and every error can say it. */
export interface Sourced<T> {
  readonly value: T;
  readonly from: 'flag' | 'environment' | 'profile' | 'default';
  /** The flag (`--workspace`), the variable (`TTCTL_WORKSPACE`), the profile's member (`workspace`), or the setting. */
  readonly name: string;
  /** Where a profile's value stands, for errors. */
  readonly place?: { readonly profile: string; readonly file: string | undefined };
}

export const fromFlag = <T>(name: string, value: T | undefined): Sourced<T> | undefined =>
  value === undefined ? undefined : { value, from: 'flag', name };

/** An empty variable counts as unset. */
export const fromVariable = (env: Environment, name: string): Sourced<string> | undefined => {
  const value = env[name];
  return value === undefined || value === '' ? undefined : { value, from: 'environment', name };
};

export const fromProfile = <T>(name: string, value: T | undefined): Sourced<T> | undefined =>
  value === undefined ? undefined : { value, from: 'profile', name };

export const byDefault = <T>(name: string, value: T): Sourced<T> => ({ value, from: 'default', name });

/** Empty, `0` and `false` are off. */
export const isSwitchedOn = (value: string): boolean =>
  !['', '0', 'false'].includes(value.trim().toLowerCase());

/** On by a flag or by one of the variables. */
export const resolveSwitch = (
  flagName: string,
  flag: boolean,
  env: Environment,
  variables: readonly string[],
): Sourced<boolean> => {
  if (flag) return { value: true, from: 'flag', name: flagName };
  for (const name of variables) {
    const source = fromVariable(env, name);
    if (source !== undefined && isSwitchedOn(source.value)) return { ...source, value: true };
  }
  return byDefault(flagName.replace(/^--/, ''), false);
};

/** Names the source in an error: `--timeout`, `TTCTL_TIMEOUT`, `"rate_limit" of profile work`. */
export const describeSource = ({ from, name, place }: Sourced<unknown>): string => {
  if (from !== 'profile') return name;
  return place === undefined ? `"${name}" of the profile` : `"${name}" of profile ${place.profile}`;
};

/** How to mend a value that came from the settings file; the other sources are in front of the user. */
const sourceHint = ({ from, name, place }: Sourced<unknown>): string => {
  if (from !== 'profile') return '';
  if (name === 'current_profile') return ' Choose one with: ttctl profile use <profile>';
  const set =
    place === undefined ? 'ttctl profile set' : commandLine`ttctl profile set --profile ${place.profile}`;
  return ` Change it with: ${set} --${name.replaceAll('_', '-')} <value>`;
};

/** `problem` is a clause about the value: `must be greater than 0`. `hint` is a sentence. */
export const createBadValueError = (source: Sourced<unknown>, problem: string, hint: string): UsageError => {
  const { from, name, place } = source;
  const file = place?.file;
  return new UsageError(`${describeSource(source)} ${problem}`, {
    code: 'bad_value',
    ...(file === undefined ? {} : { reason: `It is set in ${file}` }),
    hint: `${hint}${sourceHint(source)}`,
    details: { source: from, name, ...(place === undefined ? {} : { profile: place.profile }) },
  });
};

/** The same source with its value understood. `undefined` stays. */
export const mapSource = <A, B>(
  source: Sourced<A> | undefined,
  read: (source: Sourced<A>) => B,
): Sourced<B> | undefined => (source === undefined ? undefined : { ...source, value: read(source) });
