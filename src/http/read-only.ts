import { commandLine } from '../notation/shell-word.ts';
import { UsageError } from '../outcome.ts';
import { type Transport, writes } from './transport.ts';

/** @throws UsageError for a write to a profile that is set `read-only` */
export const refuseWrites = (profile: string): never => {
  throw new UsageError(`profile ${profile} is read-only`, {
    code: 'read_only_profile',
    hint: `Allow writes with: ${commandLine`ttctl profile set --profile ${profile} --no-read-only`}`,
  });
};

/** Lets reads pass and refuses writes: for a profile that is set `read-only`. */
export const readOnly =
  (next: Transport, profile: string): Transport =>
  async (request) =>
    writes(request.method) ? refuseWrites(profile) : next(request);

/** Lets reads pass; a write waits for `permit`, which rejects to refuse it. For a profile that is set `protected`. */
export const permitting =
  (next: Transport, permit: () => Promise<void>): Transport =>
  async (request) => {
    if (writes(request.method)) await permit();
    return next(request);
  };
