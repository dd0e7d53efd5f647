import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { isWrite, type Transport } from './transport.ts';

/** @throws UsageError for a write to a profile that is set `read-only` */
export const refuseWrite = (profile: string): never => {
  throw new UsageError(`profile ${profile} is read-only`, {
    code: 'read_only_profile',
    hint: `Allow writes with: ${commandLine`ttctl profile set --profile ${profile} --no-read-only`}`,
  });
};

/** Lets reads pass and refuses writes: for a profile that is set `read-only`. */
export const withReadOnly =
  (next: Transport, profile: string): Transport =>
  async (request) =>
    isWrite(request.method) ? refuseWrite(profile) : next(request);

/** Lets reads pass; a write waits for `permit`, which rejects to refuse it. For a profile that is set `protected`. */
export const withWriteConfirmation =
  (next: Transport, permit: () => Promise<void>): Transport =>
  async (request) => {
    if (isWrite(request.method)) await permit();
    return next(request);
  };
