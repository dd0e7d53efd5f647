import type { Row } from '../api/page.ts';
import { countDaysUntil, getSignInExpiry } from '../auth/sign-in.ts';
import { createCommandLine } from '../config/command-line.ts';
import type { Directories } from '../config/environment.ts';
import { describeSource } from '../config/values.ts';
import { Failure, type UsageError } from '../errors.ts';
import { findProxy } from '../http/send.ts';
import type { HttpResponse } from '../http/transport.ts';
import { isRecord, parseJsonValue, toText } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Parts, RunServices } from '../runtime/run-services.ts';
import { type Finding, inspectDirectory, inspectFile, ok, problem, warning } from './places.ts';

interface DoctorOptions {
  readonly parts: Parts;
  readonly service: RunServices;
  readonly directories: Directories;
  /** Errors of the settings file and of its values. */
  readonly problems: readonly UsageError[];
}

const MIN_NODE_VERSION = [20, 18, 1];

const checkVersion = ({ parts }: DoctorOptions): Finding => {
  const { version, nodeVersion } = parts.machine;
  const found = `ttctl ${version}, Node ${nodeVersion}`;
  const numbers = nodeVersion.split('.').map(Number);
  const differingIndex = MIN_NODE_VERSION.findIndex((least, i) => (numbers[i] ?? 0) !== least);
  const tooOld =
    differingIndex >= 0 && (numbers[differingIndex] ?? 0) < (MIN_NODE_VERSION[differingIndex] ?? 0);
  return tooOld
    ? problem('version', found, `Install Node ${MIN_NODE_VERSION.join('.')} or later.`)
    : ok('version', found);
};

const checkCredential = async ({ parts, service }: DoctorOptions): Promise<Finding> => {
  try {
    const { profile, kind, source } = await service.session.identity();
    const found = `${kind} credential of profile ${profile}, from ${source}`;
    if (kind === 'environment' || kind === 'sandbox') return ok('credential', found);
    const stored = parts.credentials.read(profile);
    const end = stored === undefined ? null : getSignInExpiry(stored);
    if (end === null) return ok('credential', `${found}; no known expiry`);
    const days = countDaysUntil(end, parts.machine.clock.now());
    const text = `${found}; ${days} ${days === 1 ? 'day' : 'days'} left`;
    const advice = `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}`;
    if (days < 0) return problem('credential', text, advice);
    return days < 14 ? warning('credential', text, advice) : ok('credential', text);
  } catch (error) {
    parts.machine.interrupted.throwIfAborted();
    return createFailureFinding('credential', error);
  }
};

const toWorkspaceFinding = (error: unknown): Finding => createFailureFinding('workspace', error);

const createFailureFinding = (check: string, error: unknown): Finding => {
  if (!(error instanceof Failure)) throw error;
  const found = error.reason === undefined ? error.message : `${error.message} (${error.reason})`;
  return problem(check, found, error.hint ?? 'Run it with --debug for details.');
};

const checkProxy = ({ parts, service }: DoctorOptions): Finding => {
  if (parts.settings.embedded) return ok('proxy', 'none: the sandbox is in this process');
  const proxyUrl = findProxy(new URL(service.base()), parts.machine.env);
  if (proxyUrl === undefined) return ok('proxy', 'none for this address');
  return ok('proxy', `requests go through ${new URL(proxyUrl).host}`);
};

/** How far the two clocks may be apart before signed times and token ends go wrong. */
const SKEW_SECONDS = 60;

const checkClock = ({ parts }: DoctorOptions, { headers }: HttpResponse): Finding => {
  const serverTime = Date.parse(headers.date ?? '');
  if (Number.isNaN(serverTime)) return ok('clock', 'the service sends no Date header');
  // The header has whole seconds.
  const seconds = Math.trunc((parts.machine.clock.now() - serverTime) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  return Math.abs(seconds) <= SKEW_SECONDS
    ? ok('clock', `${found}; time zone ${parts.timeZone()}`)
    : warning(
        'clock',
        found,
        'Set the clock of this machine (NTP). A wrong clock makes tokens expire too early or too late.',
      );
};

const checkLimits = async ({ service }: DoctorOptions, { headers }: HttpResponse): Promise<Finding> => {
  const { text: budget } = await (await service.chain()).limits(service.base());
  const remaining = headers['x-ratelimit-remaining'];
  return ok('limits', remaining === undefined ? budget : `${budget}; the service says ${remaining}`);
};

/** Doctor does not wait for the rate limit: that a request would have to wait is itself a finding. */
const checkBudget = async ({ service, parts }: DoctorOptions): Promise<readonly Finding[]> => {
  const { text, waitMs } = await (await service.chain()).limits(service.base());
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
      `Run ${createCommandLine(parts.settings)`ttctl doctor`} again later.`,
    ),
  ];
};

const WRONG_ADDRESS = 'The address may be wrong. Use the version 2 root, such as https://<host>/api/v2.';

const formatStatusAdvice = (status: number, { parts: { settings } }: DoctorOptions): string => {
  const formatCommand = createCommandLine(settings);
  if (status === 401)
    return `The token was not accepted. Sign in again with ${formatCommand`ttctl auth login`}, or set TTCTL_TOKEN to a valid one.`;
  if (status === 403)
    return `Only Owners and Executive Managers may use the API: see your roles with ${formatCommand`ttctl workspaces list`}.`;
  return status === 404 ? WRONG_ADDRESS : 'Try again later, or run with --debug for details.';
};

const isJson = ({ body }: HttpResponse): boolean => isRecord(parseJsonValue(body));

const checkService = (options: DoctorOptions, answer: HttpResponse, ms: number): Finding => {
  const base = options.parts.settings.embedded ? 'the embedded sandbox' : options.service.base();
  const found = `${base} answered ${answer.status} in ${ms} ms`;
  if (answer.status >= 200 && answer.status < 300 && isJson(answer)) return ok('service', found);
  if (!isJson(answer))
    return problem('service', `${found}, but the response is not from the API`, WRONG_ADDRESS);
  return problem('service', found, formatStatusAdvice(answer.status, options));
};

async function* checkConnection(options: DoctorOptions): AsyncGenerator<Finding> {
  const { machine } = options.parts;
  let base: string;
  try {
    base = options.service.base();
    yield ok('address', options.parts.settings.embedded ? 'the embedded sandbox' : base);
  } catch (error) {
    yield createFailureFinding('address', error);
    return;
  }
  const credential = await checkCredential(options);
  yield credential;
  yield checkProxy(options);
  if (credential.state === 'problem') return;
  try {
    const waits = await checkBudget(options);
    yield* waits;
    if (waits.length > 0) return;
    const start = machine.clock.now();
    const request = { method: 'GET', base, path: '/workspaces', query: [], headers: {} } as const;
    const answer = await (await options.service.chain()).transport(request);
    const finding = checkService(options, answer, machine.clock.now() - start);
    yield finding;
    if (finding.state === 'ok') yield await checkWorkspace(options, answer).catch(toWorkspaceFinding);
    yield checkClock(options, answer);
    yield await checkLimits(options, answer);
  } catch (error) {
    // An interrupt is not a finding.
    machine.interrupted.throwIfAborted();
    yield createFailureFinding('service', error);
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['broken_settings', 'unreadable_settings', 'unsafe_file']);

/** Runs all checks. No finding holds a secret. */
export async function* diagnose(options: DoctorOptions): AsyncGenerator<Finding> {
  const { config, state, cache } = options.directories;
  const { problems } = options;
  const isFileUnusable = problems.some(({ code }) => UNREADABLE.has(code));
  yield checkVersion(options);
  yield inspectDirectory('settings directory', config);
  if (!isFileUnusable) yield inspectFile('settings file', config && `${config}/settings.json`);
  for (const error of problems)
    yield createFailureFinding(isFileUnusable ? 'settings file' : 'settings', error);
  yield inspectFile('credentials file', config && `${config}/credentials.json`);
  yield inspectDirectory('state directory', state);
  yield inspectDirectory('cache directory', cache);
  const { baseUrl, embedded } = options.parts.settings;
  const isAddressUnknown = isFileUnusable || problems.some(({ details }) => details.name === 'base_url');
  if (isAddressUnknown && baseUrl === undefined && !embedded)
    yield warning('address', 'unknown: the settings are invalid', 'Correct the settings first.');
  else yield* checkConnection(options);
}

const listWorkspaces = ({ body }: HttpResponse): readonly Row[] => {
  const answer = parseJsonValue(body);
  const rows = isRecord(answer) ? answer.data : undefined;
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
};

/**
 * Whether the workspace that is set is among those of the credential.
 * @param answer the list of them
 * @throws Failure for a name that none has, and for one that the sandbox lacks
 */
const checkWorkspace = async (
  { parts, service }: { readonly parts: Parts; readonly service: RunServices },
  answer: HttpResponse,
): Promise<Finding> => {
  const id = await service.knownWorkspaceId();
  if (id === undefined) return ok('workspace', 'not set: commands need --workspace');
  const { workspace } = parts.settings;
  const source =
    workspace === undefined
      ? ''
      : workspace.from === 'profile'
        ? `, set in profile ${parts.settings.profile.value}`
        : `, from ${describeSource(workspace)}`;
  const row = listWorkspaces(answer).find((one) => toText(one.id) === toText(id));
  if (row !== undefined) return ok('workspace', `${toText(id)} ${toText(row.workspace_name ?? '')}${source}`);
  return warning(
    'workspace',
    `${toText(id)}${source}; the service does not list it for this credential`,
    `Choose another with --workspace. List them with: ${createCommandLine(parts.settings)`ttctl workspaces list`}`,
  );
};
