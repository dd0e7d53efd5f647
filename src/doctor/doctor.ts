import { countDaysUntil, getSignInExpiry } from '../auth/sign-in.ts';
import { createCommandLine } from '../config/command-line.ts';
import type { Directories } from '../config/environment.ts';
import { findProxy } from '../http/send.ts';
import type { HttpResponse } from '../http/transport.ts';
import { isRecord } from '../json/number.ts';
import { parseJsonValue } from '../json/parse.ts';
import { Failure, type UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Parts, RunServices } from '../runtime/run-services.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { inspectLocation } from './places.ts';

/** What `ttctl doctor` looks at, in the order in which one thing needs the one before. */

export interface DoctorOptions {
  readonly parts: Parts;
  readonly service: RunServices;
  readonly places: Directories;
  readonly nodeVersion: string;
  /** What is wrong with the settings file, or with what it says. */
  readonly wrong: readonly UsageError[];
}

const OLDEST = [20, 18, 1];

const version = ({ parts, nodeVersion }: DoctorOptions): Finding => {
  const found = `ttctl ${parts.machine.version}, Node ${nodeVersion}`;
  const numbers = nodeVersion.split('.').map(Number);
  const differs = OLDEST.findIndex((least, i) => (numbers[i] ?? 0) !== least);
  const tooOld = differs >= 0 && (numbers[differs] ?? 0) < (OLDEST[differs] ?? 0);
  return tooOld
    ? problem('version', found, `Install Node ${OLDEST.join('.')} or later.`)
    : ok('version', found);
};

const credential = async ({ parts, service }: DoctorOptions): Promise<Finding> => {
  try {
    const { profile, kind, source } = await service.session.identity();
    const found = `${kind} credential of profile ${profile}, from ${source}`;
    if (kind === 'environment' || kind === 'sandbox') return ok('credential', found);
    const stored = (await parts.credentials()).read(profile);
    const end = stored === undefined ? null : getSignInExpiry(stored);
    if (end === null) return ok('credential', `${found}; no known expiry`);
    const days = countDaysUntil(end, parts.machine.clock.now());
    const whole = `${found}; ${days} days left`;
    const advice = `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}`;
    if (days < 0) return problem('credential', whole, advice);
    return days < 14 ? warning('credential', whole, advice) : ok('credential', whole);
  } catch (error) {
    parts.machine.interrupted.throwIfAborted();
    return fromFailure('credential', error);
  }
};

const fromFailure = (check: string, error: unknown): Finding => {
  if (!(error instanceof Failure)) throw error;
  const found = error.reason === undefined ? error.message : `${error.message} (${error.reason})`;
  return problem(check, found, error.hint ?? 'Run it with --debug for details.');
};

const proxy = ({ parts, service }: DoctorOptions): Finding => {
  if (parts.settings.embedded) return ok('proxy', 'none: the sandbox is in this process');
  const via = findProxy(new URL(service.base()), parts.machine.env);
  if (via === undefined) return ok('proxy', 'none for this address');
  return ok('proxy', `requests go through ${new URL(via).host}`);
};

/** How far the two clocks may be apart before signed times and token ends go wrong. */
const SKEW_SECONDS = 60;

const clock = ({ parts }: DoctorOptions, { headers }: HttpResponse): Finding => {
  const told = Date.parse(headers.date ?? '');
  if (Number.isNaN(told)) return ok('clock', 'the service sends no Date header');
  const seconds = Math.round((parts.machine.clock.now() - told) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  return Math.abs(seconds) <= SKEW_SECONDS
    ? ok('clock', found)
    : warning(
        'clock',
        found,
        'Set the clock of this machine (NTP). A wrong clock makes tokens expire too early or too late.',
      );
};

const limits = async ({ service }: DoctorOptions, { headers }: HttpResponse): Promise<Finding> => {
  const { text: left } = await (await service.chain()).limits(service.base());
  const told = headers['x-ratelimit-remaining'];
  return ok('limits', told === undefined ? left : `${left}; the service says ${told}`);
};

/** Whoever looks for what is wrong is not made to wait: that requests have to wait is what is found. */
const pressed = async ({ service, parts }: DoctorOptions): Promise<readonly Finding[]> => {
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

const statusAdvice = (status: number, { parts: { settings } }: DoctorOptions): string => {
  const line = createCommandLine(settings);
  if (status === 401)
    return `The token was not accepted. Sign in again with ${line`ttctl auth login`}, or set TTCTL_TOKEN to a valid one.`;
  if (status === 403)
    return `Only Owners and Executive Managers may use the API: see your roles with ${line`ttctl workspaces list`}.`;
  return status === 404 ? WRONG_ADDRESS : 'Try again later, or run with --debug for details.';
};

const isJson = ({ body }: HttpResponse): boolean => isRecord(parseJsonValue(body));

const service = (options: DoctorOptions, answer: HttpResponse, ms: number): Finding => {
  const base = options.parts.settings.embedded ? 'the embedded sandbox' : options.service.base();
  const found = `${base} answered ${answer.status} in ${ms} ms`;
  if (answer.status >= 200 && answer.status < 300 && isJson(answer)) return ok('service', found);
  if (!isJson(answer)) return problem('service', `${found}, but not like the API`, WRONG_ADDRESS);
  return problem('service', found, statusAdvice(answer.status, options));
};

async function* reach(options: DoctorOptions): AsyncGenerator<Finding> {
  const { machine } = options.parts;
  let base: string;
  try {
    base = options.service.base();
    yield ok('address', options.parts.settings.embedded ? 'the embedded sandbox' : base);
  } catch (error) {
    yield fromFailure('address', error);
    return;
  }
  const who = await credential(options);
  yield who;
  yield proxy(options);
  if (who.state === 'problem') return;
  try {
    const held = await pressed(options);
    yield* held;
    if (held.length > 0) return;
    const before = machine.clock.now();
    const request = { method: 'GET', base, path: '/workspaces', query: [], headers: {} } as const;
    const answer = await (await options.service.chain()).transport(request);
    yield service(options, answer, machine.clock.now() - before);
    yield clock(options, answer);
    yield await limits(options, answer);
  } catch (error) {
    // Whoever ended it has found nothing.
    machine.interrupted.throwIfAborted();
    yield fromFailure('service', error);
  }
}

/** Of such a file nothing is known but that it is there. */
const UNREADABLE: ReadonlySet<string> = new Set(['broken_settings', 'unreadable_settings', 'unsafe_file']);

/** Looks at everything; nothing secret is in what it finds. */
export async function* diagnose(options: DoctorOptions): AsyncGenerator<Finding> {
  const { config, state, cache } = options.places;
  const { wrong } = options;
  const broken = wrong.some(({ code }) => UNREADABLE.has(code));
  yield version(options);
  yield inspectLocation('settings directory', config);
  if (!broken) yield inspectLocation('settings file', config && `${config}/settings.json`);
  for (const error of wrong) yield fromFailure(broken ? 'settings file' : 'settings', error);
  yield inspectLocation('credentials file', config && `${config}/credentials.json`);
  yield inspectLocation('state directory', state);
  yield inspectLocation('cache directory', cache);
  const { baseUrl, embedded } = options.parts.settings;
  const hidden = broken || wrong.some(({ details }) => details.name === 'base_url');
  if (hidden && baseUrl === undefined && !embedded)
    yield warning('address', 'unknown: the settings are invalid', 'Correct the settings first.');
  else yield* reach(options);
}
