import { UsageError } from '../outcome.ts';
import { DEFAULT_FORMAT, type Format, JSON_FORMAT } from '../terminal/formats/formats.ts';
import type { Environment } from './paths.ts';
import type { Profile } from './profile.ts';
import { byDefault, fromFlag, fromProfile, fromVariable, type Sourced, understood } from './sourced.ts';
import { readFormat } from './values.ts';

export interface OutputFlags {
  readonly output?: string;
  readonly json?: boolean;
  readonly query?: string;
}

/** A format that was named, else what `--json` or `--query` mean, else the environment's, the profile's, the default. */
export const chooseOutput = (
  flags: OutputFlags,
  env: Environment,
  profile: Profile,
  understand: typeof understood = understood,
): Sourced<Format> => {
  const named = understand(fromFlag('--output', flags.output), readFormat);
  if (flags.json === true && named !== undefined && named.value !== JSON_FORMAT) {
    throw new UsageError(`--json and --output ${named.value.name} contradict each other`, {
      hint: 'Give one of them.',
    });
  }
  if (named !== undefined) return named;
  if (flags.json === true) return { value: JSON_FORMAT, from: 'flag', name: '--json' };
  if (flags.query !== undefined) return { value: JSON_FORMAT, from: 'flag', name: '--query' };
  const stored = fromVariable(env, 'TTCTL_OUTPUT') ?? fromProfile('output', profile.output);
  return understand(stored, readFormat) ?? byDefault('output', DEFAULT_FORMAT);
};
