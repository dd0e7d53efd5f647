import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { countDaysUntil, getSignInExpiry } from '../auth/session.ts';
import { describeSource } from '../config/values.ts';
import { Failure } from '../errors.ts';
import { findProxy } from '../http/send.ts';
import type { HttpResponse } from '../http/transport.ts';
import { isRecord, parseJsonValue, toText } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { getErrno, listMissingFolders } from '../storage/write.ts';

const MIN_NODE_VERSION = '20.18.1';

/** How far the two clocks may be apart before signed times and token ends go wrong. */
const SKEW_SECONDS = 60;

const WRONG_ADDRESS = 'The address may be wrong. Use the version 2 root, such as https://<host>/api/v2.';

const UNREADABLE: ReadonlySet<string> = new Set(['broken_settings', 'unreadable_settings', 'unsafe_file']);

export interface Finding {
  /** `credential`, `clock` … */
  readonly check: string;
  /** `warning`: it works, and soon may not. `problem`: something does not work. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** What was found; nothing secret. */
  readonly found: string;
  /** What to do about it; `null` where nothing is to be done. */
  readonly advice: string | null;
}

function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, advice: null };
}
function warning(check: string, found: string, advice: string): Finding {
  return { check, state: 'warning', found, advice };
}
function problem(check: string, found: string, advice: string): Finding {
  return { check, state: 'problem', found, advice };
}

/** An interrupt is not a finding. */
function explain(check: string, error: unknown, { machine }: Run): Finding {
  machine.interrupted.throwIfAborted();
  if (!(error instanceof Failure)) throw error;
  const found = error.reason === undefined ? error.message : `${error.message} (${error.reason})`;
  return problem(check, found, error.hint ?? 'Run it with --debug for details.');
}

/** Runs all checks. No finding holds a secret. */
export async function* diagnose(run: Run): AsyncGenerator<Finding> {
  const { settings, settingsProblems: problems, machine, directories } = run;
  const { config, state, cache } = directories;
  const { version, nodeVersion } = machine;
  const isFileUnusable = problems.some(({ code }) => UNREADABLE.has(code));
  const versions = `ttctl ${version}, Node ${nodeVersion}`;
  if (nodeVersion.localeCompare(MIN_NODE_VERSION, 'en', { numeric: true }) >= 0)
    yield ok('version', versions);
  else yield problem('version', versions, `Install Node ${MIN_NODE_VERSION} or later.`);
  yield inspectDirectory('settings directory', config);
  if (!isFileUnusable) yield inspectFile('settings file', config && `${config}/settings.json`);
  for (const error of problems) yield explain(isFileUnusable ? 'settings file' : 'settings', error, run);
  yield inspectFile('credentials file', config && `${config}/credentials.json`);
  yield inspectDirectory('state directory', state);
  // Runs and history as an earlier version wrote them, in files that this one does not read.
  const former = state && join(state, 'jobs');
  if (former !== undefined && existsSync(former)) {
    const advice = `They cannot be shown, resumed or undone. When you no longer need them: ${commandLine`rm -r ${former}`}`;
    yield warning('history', `${former} has runs of an earlier version, which are not read`, advice);
  }
  yield inspectDirectory('cache directory', cache);
  const isAddressUnknown = isFileUnusable || problems.some(({ details }) => details.name === 'base_url');
  if (isAddressUnknown && settings.baseUrl === undefined && !settings.embedded)
    yield warning('address', 'unknown: the settings are invalid', 'Correct the settings first.');
  else yield* checkConnection(run);
}

async function* checkConnection(run: Run): AsyncGenerator<Finding> {
  const { machine, settings } = run;
  let base: string;
  try {
    base = run.base();
  } catch (error) {
    yield explain('address', error, run);
    return;
  }
  const place = settings.embedded ? 'the embedded sandbox' : base;
  yield ok('address', place);
  const credential = await checkCredential(run).catch((error: unknown) => explain('credential', error, run));
  yield credential;
  const proxy = settings.embedded ? undefined : findProxy(new URL(base), machine.env);
  if (settings.embedded) yield ok('proxy', 'none: the sandbox is in this process');
  else if (proxy === undefined) yield ok('proxy', 'none for this address');
  else yield ok('proxy', `requests go through ${new URL(proxy).host}`);
  if (credential.state === 'problem') return;
  try {
    const chain = await run.chain();
    const { text: budget, waitMs } = await chain.limits(base);
    // Doctor does not wait for the rate limit: that a request would have to wait is itself a finding.
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      const wait = Number.isFinite(waitMs) ? `the next request has to wait ${seconds} s` : 'all are in use';
      const why = 'Other commands are using this credential, or the service refused a request (429).';
      yield warning('limits', `${budget}; ${wait}`, `${why} Try again later.`);
      const again = `Run ${run.commandLine`ttctl doctor`} again later.`;
      yield warning('service', 'not checked: the rate limit is used up', again);
      return;
    }
    const start = machine.clock.now();
    const request = { method: 'GET', base, path: '/workspaces', query: [], headers: {} } as const;
    const answer = await chain.transport(request);
    const service = checkService(run, place, answer, machine.clock.now() - start);
    yield service;
    if (service.state === 'ok')
      yield await checkWorkspace(run, answer).catch((error: unknown) => explain('workspace', error, run));
    yield checkClock(run, answer);
    const { text: left } = await chain.limits(base);
    const remaining = answer.headers['x-ratelimit-remaining'];
    yield ok('limits', remaining === undefined ? left : `${left}; the service says ${remaining}`);
  } catch (error) {
    yield explain('service', error, run);
  }
}

async function checkCredential(run: Run): Promise<Finding> {
  const { profile, kind, source } = await run.identity();
  const found = `${kind} credential of profile ${profile}, from ${source}`;
  if (kind === 'environment' || kind === 'sandbox') return ok('credential', found);
  const stored = run.credentials.read(profile);
  const end = stored === undefined ? null : getSignInExpiry(stored);
  if (end === null) return ok('credential', `${found}; no known expiry`);
  const days = countDaysUntil(end, run.machine.clock.now());
  const text = `${found}; ${days} ${days === 1 ? 'day' : 'days'} left`;
  const advice = `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}`;
  if (days < 0) return problem('credential', text, advice);
  return days < 14 ? warning('credential', text, advice) : ok('credential', text);
}

function checkService(run: Run, place: string, { status, body }: HttpResponse, ms: number): Finding {
  const found = `${place} answered ${status} in ${ms} ms`;
  if (!isRecord(parseJsonValue(body)))
    return problem('service', `${found}, but the response is not from the API`, WRONG_ADDRESS);
  if (status >= 200 && status < 300) return ok('service', found);
  const advice: Readonly<Record<number, string>> = {
    401: `The token was not accepted. Sign in again with ${run.commandLine`ttctl auth login`}, or set TTCTL_TOKEN to a valid one.`,
    403: `Only Owners and Executive Managers may use the API: see your roles with ${run.commandLine`ttctl workspaces list`}.`,
    404: WRONG_ADDRESS,
  };
  return problem('service', found, advice[status] ?? 'Try again later, or run with --debug for details.');
}

function checkClock(run: Run, { headers }: HttpResponse): Finding {
  const serverTime = Date.parse(headers.date ?? '');
  if (Number.isNaN(serverTime)) return ok('clock', 'the service sends no Date header');
  // The header has whole seconds.
  const seconds = Math.trunc((run.machine.clock.now() - serverTime) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(seconds) <= SKEW_SECONDS) return ok('clock', `${found}; time zone ${run.timeZone()}`);
  const advice = 'A wrong clock makes tokens expire too early or too late.';
  return warning('clock', found, `Set the clock of this machine (NTP). ${advice}`);
}

/**
 * Whether the workspace that is set is among those of the credential.
 * @param answer the list of them
 * @throws Failure for a name that none has, and for one that the sandbox lacks
 */
async function checkWorkspace(run: Run, { body }: HttpResponse): Promise<Finding> {
  const id = await run.knownWorkspaceId();
  if (id === undefined) return ok('workspace', 'not set: commands need --workspace');
  const { workspace, profile } = run.settings;
  const isOfProfile = workspace?.from === 'profile';
  const where = isOfProfile
    ? `set in profile ${profile.value}`
    : workspace && `from ${describeSource(workspace)}`;
  const source = where === undefined ? '' : `, ${where}`;
  const answer = parseJsonValue(body);
  const rows = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  const row = rows.find((one) => isRecord(one) && toText(one.id) === toText(id));
  if (row !== undefined) return ok('workspace', `${toText(id)} ${toText(row.workspace_name ?? '')}${source}`);
  const list = run.commandLine`ttctl workspaces list`;
  return warning(
    'workspace',
    `${toText(id)}${source}; the service does not list it for this credential`,
    `Choose another with --workspace. List them with: ${list}`,
  );
}

function warnUnknown(check: string): Finding {
  return warning(check, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');
}

/** Whether the file can be used, and is closed to others; settings hold no secret. */
function inspectFile(check: 'settings file' | 'credentials file', path: string | undefined): Finding {
  if (path === undefined) return warnUnknown(check);
  const isSettings = check === 'settings file';
  try {
    const bytes = readOwnFile(path, isSettings ? { kind: 'settings' } : {});
    if (bytes === undefined) return ok(check, `${path} (does not exist yet)`);
    const mode = formatMode(path);
    const found = `${path} (file, ${mode})`;
    if (isSettings || mode === '600') return ok(check, found);
    return warning(check, found, `Make it private: ${commandLine`chmod 600 ${path}`}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return problem(check, error.message, error.hint ?? 'Check the permissions of its parent directories.');
  }
}

/** What chooses each directory, and what does not work where it cannot be written. */
const DIRECTORIES = {
  'settings directory': [
    'TTCTL_CONFIG_DIR',
    'Nothing can be stored there: pass the values as TTCTL_ variables, or set TTCTL_CONFIG_DIR to another directory.',
  ],
  'state directory': [
    'TTCTL_STATE_DIR',
    'Bulk runs need --no-history, and rate limits are not shared between processes. Set TTCTL_STATE_DIR to another directory.',
  ],
  'cache directory': [
    'TTCTL_CACHE_DIR',
    'Commands start slower and completion offers no names. Set TTCTL_CACHE_DIR to another directory.',
  ],
} as const;

/** Whether it is one, or can be made, can be written, and is closed to others. */
function inspectDirectory(check: keyof typeof DIRECTORIES, path: string | undefined): Finding {
  if (path === undefined) return warnUnknown(check);
  const [variable, consequence] = DIRECTORIES[check];
  const mode = formatMode(path);
  const found = `${path} (${mode === undefined ? 'does not exist yet' : `directory, ${mode}`})`;
  try {
    // Permissions alone do not tell (root, /proc): a folder is made where the first missing one would be.
    const [first] = listMissingFolders(path);
    if (first === undefined) accessSync(path, constants.W_OK | constants.X_OK);
    else rmdirSync(mkdtempSync(join(dirname(first), '.ttctl-')));
  } catch (error) {
    const errno = getErrno(error) ?? 'unknown';
    if (errno !== 'ENOTDIR') return warning(check, `${found}; it cannot be written: ${errno}`, consequence);
    return problem(check, `${path}: it is not a directory`, `Set ${variable} to another directory.`);
  }
  if (mode === undefined || mode === '700') return ok(check, found);
  return warning(check, found, `If only ttctl uses it, make it private: ${commandLine`chmod 700 ${path}`}`);
}

/** Permission bits as text: `600`; undefined where there is nothing, or it cannot be looked at. */
function formatMode(path: string): string | undefined {
  try {
    return (statSync(path).mode & 0o777).toString(8).padStart(3, '0');
  } catch {
    return undefined;
  }
}
