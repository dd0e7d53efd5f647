import { isRecord } from '../json/number.ts';
import { EXIT, Failure, toFailureJson } from '../outcome.ts';
import { loadPalette } from './palette.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';

/** Errors on stderr (docs/requirements.md, CLI-3): what happened, why, what to do. */

export interface ErrorStyle {
  readonly colour: boolean;
  /** Shows stacks and causes. */
  readonly debug?: boolean;
  readonly kept?: KeptFault;
}

/** Of a fault in ttctl itself: where it was written down, and where to report it, as far as that is known. */
export interface KeptFault {
  readonly log?: string | undefined;
  readonly bugs?: string | undefined;
}

const words = (name: string): string => name.replace(/_/g, ' ');

const inWords = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  return safeJson(value);
};

/** So many of a list of errors are read by people; JSON has all. */
const SHOWN = 50;

/** The service's own field errors: `email: The email has already been taken.` */
const fieldErrors = (errors: unknown): string[] => {
  if (Array.isArray(errors)) {
    const more = errors.length > SHOWN ? [`… and ${errors.length - SHOWN} more`] : [];
    return [...errors.slice(0, SHOWN).map(inWords), ...more];
  }
  if (!isRecord(errors)) return [inWords(errors)];
  return Object.entries(errors).map(([field, texts]) => `${field}: ${inWords(texts)}`);
};

const requestLine = (request: unknown, status: unknown): string[] => {
  if (request === undefined) return status === undefined ? [] : [`status: ${inWords(status)}`];
  return [`request: ${inWords(request)}${status === undefined ? '' : ` (${inWords(status)})`}`];
};

/** The members of a JSON error other than message and hint, one line each, sanitised. */
export const formatDetails = (details: Readonly<Record<string, unknown>>): string[] => {
  // How long to wait stands in the hint.
  const {
    code: _code,
    exit: _exit,
    retry_after: _later,
    reason,
    errors,
    request,
    status,
    ...others
  } = details;
  const lines = [
    ...(reason === undefined ? [] : [inWords(reason)]),
    ...(errors === undefined || errors === null ? [] : fieldErrors(errors)),
    ...Object.entries(others)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${words(name)}: ${inWords(value)}`),
    ...requestLine(request, status),
  ];
  return lines.flatMap((line) => safeLines(line).split('\n'));
};

/** Errors whose sentences say all that their details say: those are for scripts. */
const TOLD = new Set([
  'bad_value',
  'unknown_profile',
  'broken_settings',
  'unreadable_settings',
  'not_saved',
  'unknown_outcome',
]);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const tracesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : ['caused by:', ...tracesOf(error.cause)];
  return [...(error.stack ?? error.message).split('\n'), ...cause];
};

const reportHint = ({ log, bugs = '' }: KeptFault = {}): string => {
  const where = bugs === '' ? '' : ` at ${bugs}`;
  const what = log === undefined ? 'the command and its --debug output' : log;
  return `This is a bug in ttctl. Please report it${where} with ${what}`;
};

/**
 * Lines without newlines, the hint last. What is not a `Failure` was not foreseen: one line, and how to report it.
 */
export const renderFailure = async (error: unknown, style: ErrorStyle): Promise<readonly string[]> => {
  const palette = await loadPalette(style.colour);
  const foreseen = error instanceof Failure;
  const named = foreseen || !(error instanceof Error) || error.name === 'Error';
  const what = messageOf(error).replace(/^(error:\s*)+/i, '');
  const head = safeLines(named ? what : `${error.name}: ${what}`)
    .replaceAll('\n', '\n  ')
    .split('\n');
  const details = foreseen
    ? formatDetails({ reason: error.reason, ...(TOLD.has(error.code) ? {} : error.details) })
    : [];
  const traces = style.debug === true ? tracesOf(error) : [];
  const hint = foreseen ? error.hint : reportHint(style.kept);
  return [
    ...traces.map((line) => palette.faint(safeCell(line))),
    ...head.map((line, i) => (i === 0 ? `${palette.bad('error:')} ${line}` : line)),
    ...details.map((line) => `  ${line}`),
    ...(hint === undefined ? [] : safeLines(hint).replaceAll('\n', '\n  ').split('\n')).map((line, i) =>
      i === 0 ? `${palette.heading('hint:')} ${line}` : line,
    ),
  ];
};

/** One line without its newline: `{"error":{…}}`. Of a fault also `log`, the file that it was written down in. */
export const renderFailureJson = (error: unknown, kept: KeptFault = {}): string =>
  safeJson({
    error:
      error instanceof Failure
        ? toFailureJson(error)
        : {
            code: 'unexpected',
            exit: EXIT.fault,
            message: messageOf(error),
            hint: reportHint(kept),
            ...(kept.log === undefined ? {} : { log: kept.log }),
          },
  });
