import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Row } from '../api/page.ts';
import { countDaysUntil, getSignInExpiry } from '../auth/session.ts';
import { createCommandLine } from '../config/settings.ts';
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

/** Runs all checks. No finding holds a secret. */
export async function* diagnose(run: Run): AsyncGenerator<Finding> {
  const { config, state, cache } = run.directories;
  const problems = run.settingsProblems;
  const isFileUnusable = problems.some(({ code }) => UNREADABLE.has(code));
  yield checkVersion(run);
  yield inspectDirectory('settings directory', config);
  if (!isFileUnusable) yield inspectFile('settings file', config && `${config}/settings.json`);
  for (const error of problems)
    yield createFailureFinding(isFileUnusable ? 'settings file' : 'settings', error);
  yield inspectFile('credentials file', config && `${config}/credentials.json`);
  yield inspectDirectory('state directory', state);
  const former = inspectFormerHistory(state);
  if (former !== undefined) yield former;
  yield inspectDirectory('cache directory', cache);
  const { baseUrl, embedded } = run.settings;
  const isAddressUnknown = isFileUnusable || problems.some(({ details }) => details.name === 'base_url');
  if (isAddressUnknown && baseUrl === undefined && !embedded)
    yield warning('address', 'unknown: the settings are invalid', 'Correct the settings first.');
  else yield* checkConnection(run);
}

function checkVersion({ machine: { version, nodeVersion } }: Run): Finding {
  const found = `ttctl ${version}, Node ${nodeVersion}`;
  return nodeVersion.localeCompare(MIN_NODE_VERSION, 'en', { numeric: true }) < 0
    ? problem('version', found, `Install Node ${MIN_NODE_VERSION} or later.`)
    : ok('version', found);
}

function createFailureFinding(check: string, error: unknown): Finding {
  if (!(error instanceof Failure)) throw error;
  const found = error.reason === undefined ? error.message : `${error.message} (${error.reason})`;
  return problem(check, found, error.hint ?? 'Run it with --debug for details.');
}

async function* checkConnection(run: Run): AsyncGenerator<Finding> {
  const { machine } = run;
  let base: string;
  try {
    base = run.base();
    yield ok('address', run.settings.embedded ? 'the embedded sandbox' : base);
  } catch (error) {
    yield createFailureFinding('address', error);
    return;
  }
  const credential = await checkCredential(run);
  yield credential;
  yield checkProxy(run);
  if (credential.state === 'problem') return;
  try {
    const waits = await checkBudget(run);
    yield* waits;
    if (waits.length > 0) return;
    const start = machine.clock.now();
    const request = { method: 'GET', base, path: '/workspaces', query: [], headers: {} } as const;
    const answer = await (await run.chain()).transport(request);
    const finding = checkService(run, answer, machine.clock.now() - start);
    yield finding;
    if (finding.state === 'ok')
      yield await checkWorkspace(run, answer).catch((error: unknown) =>
        createFailureFinding('workspace', error),
      );
    yield checkClock(run, answer);
    yield await checkLimits(run, answer);
  } catch (error) {
    // An interrupt is not a finding.
    machine.interrupted.throwIfAborted();
    yield createFailureFinding('service', error);
  }
}

async function checkCredential(run: Run): Promise<Finding> {
  try {
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
  } catch (error) {
    run.machine.interrupted.throwIfAborted();
    return createFailureFinding('credential', error);
  }
}

function checkProxy(run: Run): Finding {
  if (run.settings.embedded) return ok('proxy', 'none: the sandbox is in this process');
  const proxyUrl = findProxy(new URL(run.base()), run.machine.env);
  if (proxyUrl === undefined) return ok('proxy', 'none for this address');
  return ok('proxy', `requests go through ${new URL(proxyUrl).host}`);
}

/** Doctor does not wait for the rate limit: that a request would have to wait is itself a finding. */
async function checkBudget(run: Run): Promise<readonly Finding[]> {
  const { text, waitMs } = await (await run.chain()).limits(run.base());
  if (waitMs <= 0) return [];
  const wait = Number.isFinite(waitMs)
    ? `the next request has to wait ${Math.ceil(waitMs / 1000)} s`
    : 'all are in use';
  const advice =
    'Other commands are using this credential, or the service refused a request (429). Try again later.';
  return [
    warning('limits', `${text}; ${wait}`, advice),
    warning(
      'service',
      'not checked: the rate limit is used up',
      `Run ${createCommandLine(run.settings)`ttctl doctor`} again later.`,
    ),
  ];
}

function checkService(run: Run, answer: HttpResponse, ms: number): Finding {
  const base = run.settings.embedded ? 'the embedded sandbox' : run.base();
  const found = `${base} answered ${answer.status} in ${ms} ms`;
  if (answer.status >= 200 && answer.status < 300 && isJson(answer)) return ok('service', found);
  if (!isJson(answer))
    return problem('service', `${found}, but the response is not from the API`, WRONG_ADDRESS);
  return problem('service', found, formatStatusAdvice(answer.status, run));
}

function isJson({ body }: HttpResponse): boolean {
  return isRecord(parseJsonValue(body));
}

function formatStatusAdvice(status: number, { settings }: Run): string {
  const formatCommand = createCommandLine(settings);
  if (status === 401)
    return `The token was not accepted. Sign in again with ${formatCommand`ttctl auth login`}, or set TTCTL_TOKEN to a valid one.`;
  if (status === 403)
    return `Only Owners and Executive Managers may use the API: see your roles with ${formatCommand`ttctl workspaces list`}.`;
  return status === 404 ? WRONG_ADDRESS : 'Try again later, or run with --debug for details.';
}

function checkClock(run: Run, { headers }: HttpResponse): Finding {
  const serverTime = Date.parse(headers.date ?? '');
  if (Number.isNaN(serverTime)) return ok('clock', 'the service sends no Date header');
  // The header has whole seconds.
  const seconds = Math.trunc((run.machine.clock.now() - serverTime) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  return Math.abs(seconds) <= SKEW_SECONDS
    ? ok('clock', `${found}; time zone ${run.timeZone()}`)
    : warning(
        'clock',
        found,
        'Set the clock of this machine (NTP). A wrong clock makes tokens expire too early or too late.',
      );
}

async function checkLimits(run: Run, { headers }: HttpResponse): Promise<Finding> {
  const { text: budget } = await (await run.chain()).limits(run.base());
  const remaining = headers['x-ratelimit-remaining'];
  return ok('limits', remaining === undefined ? budget : `${budget}; the service says ${remaining}`);
}

function listWorkspaces({ body }: HttpResponse): readonly Row[] {
  const answer = parseJsonValue(body);
  const rows = isRecord(answer) ? answer.data : undefined;
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

/**
 * Whether the workspace that is set is among those of the credential.
 * @param answer the list of them
 * @throws Failure for a name that none has, and for one that the sandbox lacks
 */
async function checkWorkspace(run: Run, answer: HttpResponse): Promise<Finding> {
  const id = await run.knownWorkspaceId();
  if (id === undefined) return ok('workspace', 'not set: commands need --workspace');
  const { workspace } = run.settings;
  const source =
    workspace === undefined
      ? ''
      : workspace.from === 'profile'
        ? `, set in profile ${run.settings.profile.value}`
        : `, from ${describeSource(workspace)}`;
  const row = listWorkspaces(answer).find((one) => toText(one.id) === toText(id));
  if (row !== undefined) return ok('workspace', `${toText(id)} ${toText(row.workspace_name ?? '')}${source}`);
  return warning(
    'workspace',
    `${toText(id)}${source}; the service does not list it for this credential`,
    `Choose another with --workspace. List them with: ${createCommandLine(run.settings)`ttctl workspaces list`}`,
  );
}

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

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, advice: null };
}
export function warning(check: string, found: string, advice: string): Finding {
  return {
    check,
    state: 'warning',
    found,
    advice,
  };
}
export function problem(check: string, found: string, advice: string): Finding {
  return {
    check,
    state: 'problem',
    found,
    advice,
  };
}

/** How `ttctl doctor` checks the files and directories of ttctl. */

function warnUnknown(check: string): Finding {
  return warning(check, 'location unknown', 'Set HOME, or TTCTL_CONFIG_DIR and TTCTL_STATE_DIR.');
}

/** Whether the file can be used, and is closed to others; settings hold no secret. */
export function inspectFile(check: 'settings file' | 'credentials file', path: string | undefined): Finding {
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
export function inspectDirectory(check: keyof typeof DIRECTORIES, path: string | undefined): Finding {
  if (path === undefined) return warnUnknown(check);
  const [variable, consequence] = DIRECTORIES[check];
  const mode = formatMode(path);
  const found = `${path} (${mode === undefined ? 'does not exist yet' : `directory, ${mode}`})`;
  const errno = explainUnwritable(path);
  if (errno === 'ENOTDIR')
    return problem(check, `${path}: it is not a directory`, `Set ${variable} to another directory.`);
  if (errno !== undefined) return warning(check, `${found}; it cannot be written: ${errno}`, consequence);
  if (mode === undefined || mode === '700') return ok(check, found);
  return warning(check, found, `If only ttctl uses it, make it private: ${commandLine`chmod 700 ${path}`}`);
}

/** Runs and history as an earlier version wrote them, in files that this one does not read. */
function inspectFormerHistory(state: string | undefined): Finding | undefined {
  const folder = state && join(state, 'jobs');
  if (folder === undefined || !existsSync(folder)) return undefined;
  const advice = `They cannot be shown, resumed or undone. When you no longer need them: ${commandLine`rm -r ${folder}`}`;
  return warning('history', `${folder} has runs of an earlier version, which are not read`, advice);
}

/** Permission bits as text: `600`; undefined where there is nothing, or it cannot be looked at. */
function formatMode(path: string): string | undefined {
  try {
    return (statSync(path).mode & 0o777).toString(8).padStart(3, '0');
  } catch {
    return undefined;
  }
}

/**
 * Whether files can be written in this folder, or it can be made. Permissions alone do not tell (root, /proc), so a
 * folder is made where the first missing one would be, and taken away again.
 * @returns what the disk says against it: `EROFS`
 */
function explainUnwritable(path: string): string | undefined {
  try {
    const [first] = listMissingFolders(path);
    if (first === undefined) accessSync(path, constants.W_OK | constants.X_OK);
    else rmdirSync(mkdtempSync(join(dirname(first), '.ttctl-')));
    return undefined;
  } catch (error) {
    return getErrno(error) ?? 'unknown';
  }
}
