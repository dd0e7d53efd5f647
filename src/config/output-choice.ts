import type { Format } from '../notation/format.ts';
import { UsageError } from '../outcome.ts';
import { DEFAULT_FORMAT } from './defaults.ts';
import type { Environment } from './paths.ts';
import type { Profile } from './profile.ts';
import { byDefault, fromFlag, fromProfile, fromVariable, type Sourced, understood } from './sourced.ts';
import { readFormat } from './values.ts';

export interface OutputFlags {
  readonly output?: string;
  readonly json?: boolean;
  readonly query?: string;
}

/** A format that was named, else what `--json` or `--query` mean, else the environment's, the profile's, `table`. */
export const chooseOutput = (
  flags: OutputFlags,
  env: Environment,
  profile: Profile,
  understand: typeof understood = understood,
): Sourced<Format> => {
  const named = understand(fromFlag('--output', flags.output), readFormat);
  if (flags.json === true && named !== undefined && named.value !== 'json') {
    throw new UsageError(`--json and --output ${named.value} contradict each other`, {
      hint: 'Give one of them.',
    });
  }
  if (named !== undefined) return named;
  if (flags.json === true) return { value: 'json', from: 'flag', name: '--json' };
  if (flags.query !== undefined) return { value: 'json', from: 'flag', name: '--query' };
  const stored = fromVariable(env, 'TTCTL_OUTPUT') ?? fromProfile('output', profile.output);
  return understand(stored, readFormat) ?? byDefault('output', DEFAULT_FORMAT);
};
