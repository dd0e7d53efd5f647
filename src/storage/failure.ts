import { EXIT, Failure, type FailureFacts } from '../errors.ts';

/** The errno name of a system error (`ENOENT`), or undefined for any other thrown value. */
export function getErrno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z\d]+$/.test(error.code) ? error.code : undefined;
}

/** `ulimit -n`, of this process or of the whole machine: for files and for connections. */
export const TOO_MANY_FILES = {
  code: 'too_many_files',
  reason: 'too many open files',
  hint: 'Raise the limit in this shell: ulimit -n 1024',
} as const;

const EXPLANATIONS: readonly (Pick<FailureFacts, 'code' | 'reason' | 'hint'> & {
  readonly errnos: RegExp;
})[] = [
  {
    errnos: /^(ENOSPC|EDQUOT)$/,
    code: 'disk_full',
    reason: 'no space left on the disk (or in your quota)',
    hint: 'Free some space and run the command again. The file is as it was.',
  },
  {
    errnos: /^(EACCES|EPERM)$/,
    code: 'no_permission',
    reason: 'permission denied',
    hint: 'Make it writable, or use another directory.',
  },
  {
    errnos: /^EROFS$/,
    code: 'read_only_disk',
    reason: 'the disk is read-only',
    hint: 'Use a writable directory.',
  },
  {
    errnos: /^(ENOTDIR|EEXIST)$/,
    code: 'disk_error',
    reason: 'a file is in place of a directory',
    hint: 'Use another directory.',
  },
  {
    errnos: /^EISDIR$/,
    code: 'disk_error',
    reason: 'a directory is in place of the file',
    hint: 'Move that directory away, or use another path.',
  },
  { errnos: /^E[MN]FILE$/, ...TOO_MANY_FILES },
];

/**
 * A system error as an end that people can act on (exit 1). `action` is a verb phrase: `write`, `lock`.
 * A `Failure` is passed on as it is.
 */
export function createDiskFailure(error: unknown, action: string, path: string): Failure {
  if (error instanceof Failure) return error;
  const errno = getErrno(error);
  const explanation = EXPLANATIONS.find(({ errnos }) => errnos.test(errno ?? ''));
  return new Failure(`cannot ${action} ${path}`, {
    code: explanation?.code ?? 'disk_error',
    exit: EXIT.fault,
    reason: explanation?.reason ?? (error instanceof Error ? error.message : String(error)),
    hint: explanation?.hint ?? 'Check the disk and the path, then run the command again.',
    details: { path, ...(errno === undefined ? {} : { errno }) },
    cause: error,
  });
}

/** Whether the failure itself already tells what became of the run. */
function isMoreSpecific(error: Failure): boolean {
  return error.details.job !== undefined || error.exit === EXIT.partial;
}

/** An error that comes of too many open files, however deep, as that; undefined for any other. */
export function findTooManyFiles(error: unknown): Failure | undefined {
  if (error instanceof Failure && isMoreSpecific(error)) return undefined;
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (getErrno(at) !== 'EMFILE' && getErrno(at) !== 'ENFILE') continue;
    const { code, reason, hint } = TOO_MANY_FILES;
    const what = error instanceof Failure ? error.message : at.message;
    return new Failure(reason, { code, exit: EXIT.fault, reason: what, hint, cause: error });
  }
  return undefined;
}
