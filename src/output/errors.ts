import { EXIT, Failure, getMessage, LeftForLater, toFailureJson } from '../errors.ts';
import { isRecord } from '../json.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { loadPalette } from './terminal.ts';

/** Of a fault in ttctl itself: where it was written down, and where to report it, as far as that is known. */
export interface RecordedFault {
  readonly log?: string | undefined;
  readonly issuesUrl?: string;
}

/** So many of a list of errors are read by people; JSON has all. */
const MAX_SHOWN = 50;

/** The members of a JSON error other than message and hint, one line each, sanitised. */
export function formatDetails(details: Readonly<Record<string, unknown>>): string[] {
  // How long to wait stands in the hint.
  const { code, exit: _exit, retry_after: _later, reason, errors, request, status, ...members } = details;
  // The service's own errors have names: `email: The email has already been taken.`
  const listed = isRecord(errors)
    ? Object.entries(errors).map(([field, texts]) => `${field}: ${formatMember(texts)}`)
    : [errors ?? []].flat().map(formatMember);
  const why = [...[reason ?? []].flat().map(formatMember), ...listed.slice(0, MAX_SHOWN)];
  if (listed.length > MAX_SHOWN) why.push(`… and ${listed.length - MAX_SHOWN} more`);
  const others = Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name.replace(/_/g, ' ')}: ${formatMember(value)}`);
  const answer = status === undefined ? '' : formatMember(status);
  if (request !== undefined) others.push(`request: ${formatMember(request)}${answer && ` (${answer})`}`);
  else if (answer !== '') others.push(`status: ${answer}`);
  const lines = toSafeLines(why);
  // An answer that says no has both in the service's own words.
  if (code !== 'not_the_api' && request !== undefined && status !== undefined && lines.length > 0) {
    const quoted = ['the service says:', ...lines.map((line) => `  ${line}`)];
    return [...(lines.length === 1 ? [`the service says: ${lines[0]}`] : quoted), ...toSafeLines(others)];
  }
  return [...lines, ...toSafeLines(others)];
}

function formatMember(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(formatMember).join(', ');
  return safeJson(value);
}

function toSafeLines(texts: readonly string[]): string[] {
  return texts.flatMap((text) => safeLines(text).split('\n')).map(disarmLabel);
}

function disarmLabel(line: string): string {
  return line.replace(/^(\s*(?:hint|error|warning)\s*):/i, '$1\\x3a');
}

/** Errors whose sentences say all that their details say: those are for scripts. */
const SELF_EXPLANATORY = new Set([
  ...['bad_value', 'unknown_profile', 'broken_settings', 'unreadable_settings'],
  ...['not_saved', 'unknown_outcome'],
]);

function listTraces(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : ['caused by:', ...listTraces(error.cause)];
  return [...(error.stack ?? error.message).split('\n'), ...cause];
}

function formatReportHint({ log, issuesUrl = '' }: RecordedFault = {}): string {
  const where = issuesUrl === '' ? '' : ` at ${issuesUrl}`;
  return `This is a bug in ttctl. Please report it${where} with ${log ?? 'the command and its --debug output'}`;
}

/**
 * Lines without newlines, the hint last. What is not a `Failure` was not foreseen: one line, and how to report it.
 */
export async function renderFailure(
  error: unknown,
  { colour, debug = false, fault }: { colour: boolean; debug?: boolean; fault?: RecordedFault },
): Promise<readonly string[]> {
  const palette = await loadPalette(colour);
  const isFailure = error instanceof Failure;
  const hasPlainName = isFailure || !(error instanceof Error) || error.name === 'Error';
  const what = getMessage(error).replace(/^(error:\s*)+/i, '');
  const label = error instanceof LeftForLater ? '' : `${palette.bad('error:')} `;
  const head = safeLines(hasPlainName ? what : `${error.name}: ${what}`)
    .split('\n')
    .map((line, i) => (i === 0 ? label + line : `  ${disarmLabel(line)}`));
  const more = isFailure && !SELF_EXPLANATORY.has(error.code) ? error.details : {};
  const details = isFailure ? formatDetails({ reason: error.reason, code: error.code, ...more }) : [];
  const traces = debug ? listTraces(error) : [];
  const hint = isFailure ? error.hint : formatReportHint(fault);
  const advice = hint === undefined ? [] : safeLines(hint).replaceAll('\n', '\n  ').split('\n');
  return [
    ...traces.map((line) => palette.faint(safeCell(line))),
    ...head,
    ...details.map((line) => `  ${line}`),
    ...advice.map((line, i) => (i === 0 ? `${palette.heading('hint:')} ${line}` : line)),
  ];
}

/** One line without its newline: `{"error":{…}}`. Of a fault also `log`, the file that it was written down in. */
export function renderFailureJson(error: unknown, fault: RecordedFault = {}): string {
  return safeJson({
    error:
      error instanceof Failure
        ? toFailureJson(error)
        : {
            code: 'unexpected' satisfies Failure['code'],
            exit: EXIT.fault,
            message: getMessage(error),
            hint: formatReportHint(fault),
            ...(fault.log === undefined ? {} : { log: fault.log }),
          },
  });
}
