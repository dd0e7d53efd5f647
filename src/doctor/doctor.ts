import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { countDaysUntil, getSignInExpiry } from '../auth/session.ts';
import { type Command, defineCommand, type Noun } from '../cli/command.ts';
import { EXIT, Failure } from '../errors.ts';
import { findProxy } from '../http/send.ts';
import type { HttpResponse } from '../http/transport.ts';
import { isRecord, parseJsonValue } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { formatDuration } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { readOwnFile } from '../storage/own-files.ts';

const columns: readonly Column[] = [
  { field: 'check' },
  { field: 'state', kind: 'state' },
  { field: 'found', wrap: true },
  // Below the table: what to do is of no use when it is cut.
  { field: 'advice', onRequest: true },
];

export function doctor(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl doctor', 'ttctl doctor --profile work --output json'],
    prints: { shape: 'list', fields: columns.map(({ field }) => field) },
    exits: [10],
    settings: 'examined',
    run: async (run) => {
      const findings: { check: string; state: string; found: string; advice: string | null }[] = [];
      const add: Add = (check, found, advice, problem) => {
        const state = problem ?? (advice === undefined ? 'ok' : 'warning');
        findings.push({ check, state, found, advice: advice ?? null });
      };
      async function* pages() {
        inspectFiles(run, add);
        await checkConnection(run, add);
        yield { rows: findings.map((finding) => ({ ...finding })), total: findings.length };
      }
      await run.output.list(pages(), { noun: 'checks', columns, id: 'check' });
      for (const { check, advice } of findings) if (advice !== null) run.output.note(`${check}: ${advice}`);
      if (findings.some(({ state }) => state === 'problem')) run.exit(EXIT.found);
    },
  });
}

/**
 * Adds what was found, with nothing secret in it. `advice`: what to do about it; then it is a warning (it works, and soon
 * may not) or a problem (something does not work).
 */
type Add = (check: string, found: string, advice?: string, problem?: 'problem') => void;

function addFailure(run: Run, add: Add, check: string, error: unknown): void {
  run.interrupted.throwIfAborted();
  if (!(error instanceof Failure)) throw error;
  const found = error.reason === undefined ? error.message : `${error.message} (${error.reason})`;
  add(check, found, error.hint ?? 'Run it with --debug for details.', 'problem');
}

const UNREADABLE: ReadonlySet<string> = new Set(['broken_settings', 'unreadable_settings', 'unsafe_file']);

function inspectFiles(run: Run, add: Add): void {
  const { settingsProblems: problems, machine, directories } = run;
  const { config, state } = directories;
  add('version', `ttctl ${machine.version}, Node ${machine.nodeVersion}`);
  addDirectory(add, 'settings directory', config, 'TTCTL_CONFIG_DIR');
  const isFileUnusable = problems.some(({ code }) => UNREADABLE.has(code));
  if (!isFileUnusable) inspectFile(run, add, 'settings file', config && `${config}/settings.json`);
  for (const error of problems) addFailure(run, add, isFileUnusable ? 'settings file' : 'settings', error);
  inspectFile(run, add, 'credentials file', config && `${config}/credentials.json`);
  addDirectory(add, 'state directory', state, 'TTCTL_STATE_DIR');
  // Runs and history as an earlier version wrote them, in files that this one does not read.
  const former = state && join(state, 'jobs');
  if (former === undefined || !existsSync(former)) return;
  const advice = `They cannot be shown, resumed or undone. When you no longer need them: ${commandLine`rm -r ${former}`}`;
  add('history', `${former} has runs of an earlier version, which are not read`, advice);
}

function addDirectory(add: Add, check: string, path: string | undefined, variable: string): void {
  if (path === undefined) add(check, 'location unknown', `Set HOME, or ${variable} to a directory.`);
  else add(check, existsSync(path) ? path : `${path} (does not exist yet)`);
}

function inspectFile(run: Run, add: Add, check: string, path: string | undefined): void {
  if (path === undefined) return;
  const isSettings = check === 'settings file';
  try {
    const bytes = readOwnFile(path, isSettings ? { kind: 'settings' } : {});
    if (bytes === undefined) add(check, `${path} (does not exist yet)`);
    else if (isSettings || (statSync(path).mode & 0o077) === 0) add(check, path);
    else {
      const advice = `Make it private: ${commandLine`chmod 600 ${path}`}`;
      add(check, `${path} can be read by other users`, advice);
    }
  } catch (error) {
    addFailure(run, add, check, error);
  }
}

const WRONG_ADDRESS = 'The address may be wrong. Use the version 2 root, such as https://<host>/api/v2.';

async function checkConnection(run: Run, add: Add): Promise<void> {
  const { machine, settings, settingsProblems } = run;
  const { embedded } = settings;
  const isAddressUnknown = settingsProblems.some(
    ({ code, details }) => UNREADABLE.has(code) || details.name === 'base_url',
  );
  if (isAddressUnknown && settings.baseUrl === undefined && !embedded)
    return add('address', 'unknown: the settings are invalid', 'Correct the settings first.');
  let check = 'address';
  try {
    const base = run.base();
    const place = embedded ? 'the embedded sandbox' : base;
    add(check, place);
    const proxy = embedded ? undefined : findProxy(new URL(base), machine.env);
    add('proxy', proxy === undefined ? 'none' : `requests go through ${new URL(proxy).host}`);
    check = 'credential';
    await checkCredential(run, add);
    check = 'service';
    const chain = await run.chain();
    const { text: budget, waitMs } = await chain.limits(base);
    // Doctor does not wait for the rate limit: that a request would have to wait is itself a finding.
    if (waitMs > 0) {
      const wait = Number.isFinite(waitMs)
        ? `; the next request has to wait ${Math.ceil(waitMs / 1000)} s`
        : '';
      const advice = `The service was not asked. Run ${run.commandLine`ttctl doctor`} again later.`;
      return add('limits', `${budget}${wait}`, advice);
    }
    const start = machine.clock.now();
    const request = { method: 'GET', base, path: '/workspaces', query: [], headers: {} } as const;
    const answer = await chain.transport(request);
    checkService(run, add, `${place} answered ${answer.status} in ${machine.clock.now() - start} ms`, answer);
    const { text: left } = await chain.limits(base);
    const remaining = answer.headers['x-ratelimit-remaining'];
    add('limits', remaining === undefined ? left : `${left}; the service says ${remaining}`);
  } catch (error) {
    addFailure(run, add, check, error);
  }
}

async function checkCredential(run: Run, add: Add): Promise<void> {
  await run.accessToken();
  const { profile, kind, source, stored } = await run.identity();
  const found =
    kind === 'sandbox' ? 'not needed' : `${kind} credential of profile ${profile}, from ${source}`;
  const end = stored === undefined ? null : getSignInExpiry(stored);
  if (end === null) return add('credential', found);
  const days = countDaysUntil(end, run.clock.now());
  const text = `${found}; ${days} ${days === 1 ? 'day' : 'days'} left`;
  const advice = `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}`;
  add('credential', text, days < 14 ? advice : undefined, days < 0 ? 'problem' : undefined);
}

/** How far the two clocks may be apart before signed times and token ends go wrong. */
const SKEW_SECONDS = 60;

function checkService(run: Run, add: Add, found: string, { status, headers, body }: HttpResponse) {
  const advice: Readonly<Record<number, string>> = {
    401: `The token was not accepted. Sign in again with ${run.commandLine`ttctl auth login`}, or set TTCTL_TOKEN to a valid one.`,
    403: `Only Owners and Executive Managers may use the API: see your roles with ${run.commandLine`ttctl workspaces list`}.`,
    404: WRONG_ADDRESS,
  };
  if (!isRecord(parseJsonValue(body)))
    add('service', `${found}, but the response is not from the API`, WRONG_ADDRESS, 'problem');
  else if (status >= 200 && status < 300) add('service', found);
  else
    add('service', found, advice[status] ?? 'Try again later, or run with --debug for details.', 'problem');
  const serverTime = Date.parse(headers.date ?? '');
  if (Number.isNaN(serverTime)) return add('clock', 'the service sends no Date header');
  // The header has whole seconds.
  const seconds = Math.trunc((run.clock.now() - serverTime) / 1000);
  const skew = `${formatDuration(Math.abs(seconds))} ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(seconds) <= SKEW_SECONDS) add('clock', `${skew}; time zone ${run.timeZone()}`);
  else
    add(
      'clock',
      skew,
      'A wrong clock makes tokens expire too early or too late. Set the clock of this machine (NTP).',
    );
}
