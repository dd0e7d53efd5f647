import { collectProblems, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import {
  DEFAULT_FORMAT,
  EXCEL_FORMAT,
  FORMAT_NAMES,
  findFormat,
  JSON_FORMAT,
} from '../output/formats/formats.ts';
import { isDay } from '../parsing/calendar.ts';
import { findScopeProblem, parseScopes } from '../parsing/names.ts';
import { type CommandLine, commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import {
  findAddressProblem,
  findLoopbackRedirectProblem,
  findNearest,
  normalizeAddress,
  REDIRECT_HINT,
} from '../parsing/text.ts';
import type { Environment } from './environment.ts';

export const SANDBOX_PROFILE = 'sandbox';
/** Its address: no request for it leaves the process. */
export const EMBEDDED_BASE = 'http://localhost/api/v2';
export const DEFAULT_PROFILE = 'default';

/** The first of its sources that says something gives the value: flag, variable, stored profile. */
interface SettingRow {
  /** `--max-wait`; of `--no-header` only the bare switch counts. */
  readonly flag?: `--${string}`;
  /** There is a variable, `TTCTL_MAX_WAIT`, and what it means, for help. Of a switch, empty, `0` and `false` say nothing. */
  readonly about?: string;
  /** Variables that switch it on, in place of that one. */
  readonly switches?: readonly string[];
  /** It is a member of stored profiles, `max_wait`. */
  readonly stored?: true;
  /** The value as the run has it. Absent: as it is. @throws UsageError that names the source */
  readonly read?: (source: Sourced<never>) => unknown;
  /** The value where no source says anything. Absent: undefined. True or false: it is a switch. */
  readonly usual?: unknown;
}

/** All settings but the profile, in the order in which they are shown. */
export const SETTINGS = {
  baseUrl: { flag: '--base-url', about: 'base URL of the API (version 2)', stored: true, read: readUrl },
  authUrl: { flag: '--auth-url', about: 'authorization host', stored: true, read: readUrl },
  tokenUrl: { flag: '--token-url', about: 'token host', stored: true, read: readUrl },
  clientId: { flag: '--client-id', about: 'client id of the OAuth2 application', stored: true },
  clientSecret: { about: 'client secret of the OAuth2 application' },
  redirectUri: { flag: '--redirect-uri', stored: true, read: readRedirectUri },
  scope: { flag: '--scope', stored: true, read: readScopes },
  tokenCommand: { flag: '--token-command', stored: true, read: readText },
  workspace: { flag: '--workspace', about: 'workspace to use, by id or name', stored: true, read: readText },
  timezone: { flag: '--timezone', stored: true },
  output: { flag: '--output', about: 'output format', stored: true, read: readFormat, usual: DEFAULT_FORMAT },
  rateLimit: {
    flag: '--rate-limit',
    about: 'requests/seconds,writes/seconds (150/60,20/1), or off',
    stored: true,
    read: readRateLimit,
    usual: { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 },
  },
  timeoutSeconds: {
    flag: '--timeout',
    about: 'time limit of one request in seconds (30)',
    read: (source: Sourced<string>) => readSeconds(source, 'more'),
    usual: 30,
  },
  maxWaitSeconds: {
    flag: '--max-wait',
    about: 'seconds a request may wait when it is rate limited (120)',
    read: readSeconds,
    usual: 120,
  },
  settleSeconds: {
    flag: '--settle',
    about: 'seconds to look for what a write did if its response was lost (30); 0 looks once',
    stored: true,
    read: readSeconds,
    usual: 30,
  },
  readOnly: { flag: '--read-only', stored: true, usual: false },
  /** The commands that may write, where not all may. */
  allow: { flag: '--allow', stored: true, read: readAllowed },
  /** Of the environment alone; a stored credential is not looked at here. */
  token: { about: 'Personal Access Token or access token; overrides the stored one', read: readText },
  tokenCreated: {
    about: 'day TTCTL_TOKEN was created, so that auth check knows when it expires',
    read: readCalendarDay,
  },
  columns: { flag: '--columns', read: readColumns },
  sort: { flag: '--sort', read: readSort },
  header: { flag: '--no-header', usual: true },
  query: { flag: '--query', read: readText },
  yes: { flag: '--yes', usual: false },
  noInput: { flag: '--no-input', switches: ['TTCTL_NO_INPUT', 'CI'], read: () => true, usual: false },
  dryRun: { flag: '--dry-run', usual: false },
  quiet: { flag: '--quiet', usual: false },
  debug: {
    flag: '--debug',
    about: 'log every request and response to stderr, secrets redacted',
    usual: false,
  },
  log: {
    flag: '--log',
    about: 'file to append every request, response and result to, one JSON line each; - is stderr',
    read: readText,
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingName = keyof typeof SETTINGS;

export interface Setting extends SettingRow {
  readonly variable?: string;
  readonly member?: string;
}

export const LISTED_SETTINGS = Object.entries<SettingRow>(SETTINGS).map(
  ([name, row]): [SettingName, Setting] => {
    const words = row.flag?.slice(2).replaceAll('-', '_') ?? name.replace(/[A-Z]/g, '_$&').toLowerCase();
    const variable = row.about === undefined ? {} : { variable: `TTCTL_${words.toUpperCase()}` };
    return [name as SettingName, { ...row, ...variable, ...(row.stored && { member: words }) }];
  },
);

type Value<S> = S extends { readonly read: (source: never) => infer V }
  ? V
  : S extends { readonly usual: boolean }
    ? boolean
    : string;

type Resolved = {
  readonly [Name in SettingName]:
    | Sourced<Value<(typeof SETTINGS)[Name]>>
    | ((typeof SETTINGS)[Name] extends { readonly usual: unknown } ? never : undefined);
};

export interface Settings extends Resolved {
  readonly profile: Sourced<string>;
  /** Whether requests are answered by the sandbox in this process: addresses are undefined then. */
  readonly embedded: boolean;
  /** The file that planned changes go to; `-`: stdout. */
  readonly plan?: string | undefined;
}

export interface GlobalFlags {
  readonly profile?: string;
  readonly output?: string;
  readonly json?: boolean;
  /** `--no-color` gives false; true has no effect. */
  readonly color?: boolean;
  readonly [flag: string]: unknown;
}

export type Profile = { readonly base_url?: string; readonly [member: string]: unknown };

export interface SettingsFile {
  readonly version: 1;
  readonly current_profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly [member: string]: unknown;
}

export const EMPTY_SETTINGS: SettingsFile = { version: 1, profiles: {} };

interface SettingsInput {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  readonly file: SettingsFile;
  readonly path?: string | undefined;
  /** For commands that make profiles (`auth login`, `profile set`): a name that is not stored is fine. */
  readonly newProfile?: boolean;
  /** Collects the errors, so that all are reported together; an invalid value counts as not given. */
  readonly problems?: UsageError[];
}

/**
 * Every setting with its source: flag, then environment, then profile, then default. Pure. Throws a `UsageError`
 * that names the flag, the variable or the profile's member.
 */
export function resolveSettings(input: SettingsInput): Settings {
  const { flags, file, problems } = input;
  const profile = collectProblems(problems, () => chooseProfile(input)) ?? USUAL_PROFILE;
  // Own members only: a profile may be called `constructor`.
  const stored = Object.hasOwn(file.profiles, profile.value) ? file.profiles[profile.value] : {};
  const place = { profile: profile.value, file: input.path };
  const embedded = profile.value === SANDBOX_PROFILE;
  collectProblems(problems, () => {
    const named = findFormat(flags.output)?.name;
    const given = [
      ...(flags.json === true ? [['--json', JSON_FORMAT.name]] : []),
      ...(flags.excel === true ? [['--excel', EXCEL_FORMAT.name]] : []),
      ...(named === undefined ? [] : [[`--output ${named}`, named]]),
    ];
    const [first, other] = [given[0], given.find(([, name]) => name !== given[0]?.[1])];
    if (other === undefined) return;
    const hint = 'Use one of them.';
    throw new UsageError(`${first?.[0]} and ${other[0]} cannot be used together`, { hint });
  });
  const isExcel = flags.excel === true;
  const asFormat = isExcel
    ? '--excel'
    : flags.json === true
      ? '--json'
      : flags.query !== undefined && '--query';
  const implied = isExcel ? EXCEL_FORMAT : JSON_FORMAT;
  const values: Record<string, unknown> = {};
  for (const [name, setting] of LISTED_SETTINGS) {
    const { read, usual } = setting;
    // The sandbox is where mistakes are harmless: an address left in the environment must not lead out of it.
    if (embedded && read === readUrl) values[name] = undefined;
    else if (name === 'output' && asFormat && [undefined, implied.name].includes(flags.output))
      values.output = { value: implied, from: 'flag', name: asFormat };
    else {
      values[name] = collectProblems(problems, () => {
        const source = findSource(setting, input, stored ?? {}, place);
        return source && read ? { ...source, value: read(source as never) } : source;
      });
      if (usual !== undefined) values[name] ??= { value: usual, from: 'default', name };
    }
  }
  return { ...(values as unknown as Resolved), profile, embedded };
}

const USUAL_PROFILE: Sourced<string> = { value: DEFAULT_PROFILE, from: 'default', name: 'profile' };

function findSource(
  { flag, variable, switches = [], member = '', usual }: Setting,
  { flags, env }: SettingsInput,
  stored: Readonly<Record<string, unknown>>,
  place?: Sourced<unknown>['place'],
): Sourced<unknown> | undefined {
  const key = flag?.replace(/^--(no-)?/, '').replace(/-([a-z])/g, (_dash, letter) => letter.toUpperCase());
  const given = key && flags[key];
  // Of a `--no-` flag its default is no wish.
  if (flag !== undefined && given !== undefined && (given === false || !flag.startsWith('--no-')))
    return { value: given, from: 'flag', name: flag };
  const isSwitch = typeof usual === 'boolean';
  for (const name of variable === undefined ? switches : [variable]) {
    const value = env[name];
    if (value && !(isSwitch && ['', '0', 'false'].includes(value.trim().toLowerCase())))
      return { value: isSwitch || value, from: 'environment', name };
  }
  const kept = Object.hasOwn(stored, member) ? stored[member] : undefined;
  if (kept === undefined) return undefined;
  // A number is stored as a number or as text.
  const value = typeof kept === 'number' ? String(kept) : kept;
  return { value, from: 'profile', name: member, ...(place && { place }) };
}

/** `--profile`, then `TTCTL_PROFILE`, then the file's `current_profile`, then `default`. */
function chooseProfile(input: SettingsInput): Sourced<string> {
  const { file } = input;
  const sources = { flag: '--profile', variable: 'TTCTL_PROFILE', member: 'current_profile' } as const;
  const found = findSource(sources, input, file.current_profile ? file : {}) ?? USUAL_PROFILE;
  const chosen = { ...found, value: String(found.value) };
  const { value: name, from } = chosen;
  if (!isProfileName(name))
    throw createBadValueError(chosen, `has an invalid profile name: "${name}"`, PROFILE_NAME_RULE);
  const names = [...Object.keys(file.profiles), SANDBOX_PROFILE];
  if (input.newProfile === true || [...names, DEFAULT_PROFILE].includes(name)) return chosen;
  throw new UsageError(`there is no profile "${name}"`, {
    code: 'unknown_profile',
    reason: `The name comes from ${from === 'profile' ? 'current_profile of the settings file' : chosen.name}.`,
    hint: `Profiles: ${[...new Set(names)].sort().join(', ')}. Create one with: ${commandLine`ttctl auth login --profile ${name}`}`,
    details: { profile: name, profiles: names, source: from },
  });
}

// Names may stand in a path, so `.` and `..` are none.
export function isProfileName(name: string): boolean {
  return /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name);
}

export const PROFILE_NAME_RULE = 'Use only letters, digits, "-", "_" and ".".';

/**
 * Command lines, to be copied, that go where this run goes: with the flags that say so. The environment and the profile
 * speak to the next command too.
 */
export function createCommandLine({
  profile,
  workspace,
}: Pick<Settings, 'profile' | 'workspace'>): CommandLine {
  return createCommandTemplate([
    ...(profile.from === 'flag' ? ['--profile', profile.value] : []),
    ...(workspace?.from === 'flag' ? ['--workspace', toText(workspace.value)] : []),
  ]);
}

/** A value and where it came from, so that `profile show` and every error can say it. */
export interface Sourced<T> {
  readonly value: T;
  readonly from: 'flag' | 'environment' | 'profile' | 'default';
  /** The flag (`--workspace`), the variable (`TTCTL_WORKSPACE`), the profile's member (`workspace`), or the setting. */
  readonly name: string;
  /** Where a profile's value stands. */
  readonly place?: { readonly profile: string; readonly file: string | undefined };
}

/** `--timeout`, `TTCTL_TIMEOUT`, `"rate_limit" of profile work`. */
export function describeSource({ name, place }: Sourced<unknown>): string {
  return place ? `"${name}" of profile ${place.profile}` : name;
}

/** `problem` is a clause about the value: `must be greater than 0`. `hint` is a sentence. */
export function createBadValueError(source: Sourced<unknown>, problem: string, hint: string): UsageError {
  const { from, name, place } = source;
  // The other sources are in front of the user.
  const change = place
    ? ` Change it with: ${commandLine`ttctl profile set --profile ${place.profile}`} --${name.replaceAll('_', '-')} <value>`
    : '';
  return new UsageError(`${describeSource(source)} ${problem}`, {
    code: 'bad_value',
    ...(place?.file !== undefined && { reason: `It is set in ${place.file}` }),
    hint: `${hint}${change}`,
    details: { source: from, name, ...(place && { profile: place.profile }) },
  });
}

function refuse(source: Sourced<unknown>, problem: string | undefined, hint: string): void {
  if (problem !== undefined) throw createBadValueError(source, problem, hint);
}

/** The root of a service, without trailing slashes. The value is not repeated in errors: it may hold a password. */
function readUrl(source: Sourced<string>): string {
  refuse(source, findAddressProblem(source.value), 'Use an address such as https://host/api/v2.');
  return normalizeAddress(source.value);
}

function readSeconds(source: Sourced<string | number>, least: '0' | 'more' = '0'): number {
  const text = String(source.value).trim();
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // Beyond that the timers of Node overflow and end at once.
  if (seconds <= 2_000_000 && (seconds > 0 || least === '0')) return seconds;
  const bound = least === '0' ? '0 or more' : 'more than 0';
  const problem = `must be a number of seconds, ${bound}, not "${text}"`;
  throw createBadValueError(source, problem, 'For example: 30, or 0.5; at most 2000000.');
}

function readFormat(source: Sourced<string>) {
  const format = findFormat(source.value);
  if (format !== undefined) return format;
  const problem = `must be an output format, not "${source.value}"`;
  const nearest = findNearest(source.value, FORMAT_NAMES);
  const hint = nearest === undefined ? `Formats: ${FORMAT_NAMES.join(', ')}.` : `Did you mean ${nearest}?`;
  throw createBadValueError(source, problem, hint);
}

const RATE_PATTERN = /^(\d+)\/(\d+(?:\.\d+)?),(\d+)\/(\d+(?:\.\d+)?)$/;

function readRateLimit(source: Sourced<string>) {
  const text = source.value.replaceAll(' ', '');
  if (text === 'off') return text;
  const numbers = (RATE_PATTERN.exec(text) ?? []).slice(1).map(Number);
  const [requests, perSeconds, writes, writesPerSeconds] = numbers;
  if (requests && perSeconds && writes && writesPerSeconds)
    return { requests, perSeconds, writes, writesPerSeconds };
  const hint = 'Use requests/seconds,writes/seconds, such as 150/60,20/1, or off.';
  throw createBadValueError(source, `has an invalid rate limit: "${source.value}"`, hint);
}

/** A stored one is judged when it is used, to sign in: nothing else needs it. */
function readRedirectUri(source: Sourced<string>): string {
  if (source.from === 'flag') refuse(source, findLoopbackRedirectProblem(source.value), REDIRECT_HINT);
  return source.value;
}

/** A comma list, or several, or both; with `+` and `-` a change of the default columns. */
export function readColumns(source: Sourced<readonly string[]>): readonly string[] {
  const columns = source.value.flatMap(splitNames).map((name) => name.trim());
  const changes = columns.filter((name) => /^[+-]/.test(name)).length;
  const isMixed = changes > 0 && changes < columns.length;
  refuse(source, isMixed ? 'mixes names with + and -' : undefined, 'Put + or - before every name, or none.');
  const isEmpty = columns.length === 0 || columns.some((name) => /^[+-]?$/.test(name));
  refuse(source, isEmpty ? 'has an empty name' : undefined, 'Separate field names with commas: id,email');
  return columns;
}

/** At its commas, but for those in quotes and brackets: `name,late=max([due, today])` are two. */
function splitNames(text: string): readonly string[] {
  const names = [''];
  let [quote, depth] = ['', 0];
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (/["'`]/.test(char)) quote = char;
    else if (/[([{]/.test(char)) depth += 1;
    else if (/[)\]}]/.test(char)) depth -= 1;
    if (char === ',' && quote === '' && depth <= 0) names.push('');
    else names[names.length - 1] += char;
  }
  return names;
}

function readScopes(source: Sourced<string | readonly string[]>): string {
  const text = [source.value].flat().join(',');
  refuse(source, findScopeProblem(text), 'Separate scopes with commas: read,write.');
  return parseScopes(text).join(',');
}

function readSort(source: Sourced<string>): { readonly field: string; readonly descending: boolean } {
  const [, field, order] = /^([^:]+)(?::(asc|desc))?$/.exec(source.value.trim()) ?? [];
  if (field !== undefined) return { field, descending: order === 'desc' };
  const problem = `has an invalid sort order: "${source.value}"`;
  throw createBadValueError(source, problem, 'Use a field name, or field:desc.');
}

/** A text that must not be empty: an unset shell variable in a script must not select something else. */
function readText(source: Sourced<string>): string {
  const text = source.value.trim();
  refuse(source, text === '' ? 'has no value' : undefined, 'Pass a value, or omit it.');
  return text;
}

const ALL_ALLOWED = 'all';

/** `timesheets approve,inbox decide`, with one space in a command. */
function readAllowed(source: Sourced<string>): string {
  return readText(source)
    .split(',')
    .map((command) => command.trim().split(/\s+/).join(' '))
    .join(',');
}

export function restrictWrites(settings: Settings, command: string): Settings {
  const { allow } = settings;
  const names = allow?.value.split(',') ?? [ALL_ALLOWED];
  const isAllowed = names.includes(ALL_ALLOWED) || names.includes(command);
  if (allow === undefined || isAllowed || settings.readOnly.value) return settings;
  return { ...settings, readOnly: { ...allow, value: true } };
}

function readCalendarDay(source: Sourced<string>): string {
  const text = readText(source);
  refuse(source, isDay(text) ? undefined : 'is not a day', 'Write it like 2026-08-01.');
  return text;
}
