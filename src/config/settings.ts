import { collectProblems, UsageError } from '../errors.ts';
import type { Rate } from '../http/links.ts';
import { toText } from '../json.ts';
import { DEFAULT_FORMAT, type Format, JSON_FORMAT } from '../output/formats/formats.ts';
import { type CommandLine, commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Environment } from './environment.ts';
import { findProfile, isProfileName, PROFILE_NAME_RULE, type Profile, type SettingsFile } from './store.ts';
import {
  byDefault,
  createBadValueError,
  DEFAULT_MAX_WAIT,
  DEFAULT_RATE,
  DEFAULT_SETTLE,
  DEFAULT_TIMEOUT,
  fromFlag,
  fromProfile,
  fromVariable,
  isSwitchedOn,
  mapSource,
  readCalendarDay,
  readColumns,
  readFormat,
  readNonEmptyText,
  readRateLimit,
  readRedirect,
  readScopes,
  readSeconds,
  readSort,
  readUrl,
  type SortOrder,
  type Sourced,
} from './values.ts';

/** Always there: the service itself, embedded. A stored one of that name adds settings. */
export const SANDBOX_PROFILE = 'sandbox';
/** Used when none is named; it need not be stored, since the environment may give all that is needed. */
export const DEFAULT_PROFILE = 'default';

/** A setting: the first of its sources that says something gives the value. */
interface Setting {
  /** `--max-wait`; of `--no-header` only the bare switch counts. */
  readonly flag?: `--${string}`;
  readonly variable?: string;
  /** What the variable means, for help. */
  readonly about?: string;
  /** Of the stored profile. */
  readonly member?: string;
  /** Told by `profile show`, though no profile has it. */
  readonly shown?: true;
  /** The value as the run has it. Absent: as it is. @throws UsageError that names the source */
  readonly read?: (source: Sourced<never>) => unknown;
  /** The value where no source says anything. Absent: undefined. */
  readonly usual?: unknown;
}

/** All settings but the profile and what `profile` and `output` choose, in the order in which they are shown. */
export const SETTINGS = {
  baseUrl: {
    flag: '--base-url',
    variable: 'TTCTL_BASE_URL',
    about: 'base URL of the API (version 2)',
    member: 'base_url',
    read: readUrl,
  },
  authUrl: {
    flag: '--auth-url',
    variable: 'TTCTL_AUTH_URL',
    about: 'authorization host',
    member: 'auth_url',
    read: readUrl,
  },
  tokenUrl: {
    flag: '--token-url',
    variable: 'TTCTL_TOKEN_URL',
    about: 'token host',
    member: 'token_url',
    read: readUrl,
  },
  clientId: {
    flag: '--client-id',
    variable: 'TTCTL_CLIENT_ID',
    about: 'client id of the OAuth2 application',
    member: 'client_id',
  },
  clientSecret: { variable: 'TTCTL_CLIENT_SECRET', about: 'client secret of the OAuth2 application' },
  redirectUri: {
    flag: '--redirect-uri',
    member: 'redirect_uri',
    // A stored one is judged when it is used, to sign in: nothing else needs it.
    read: (source: Sourced<string>) => (source.from === 'flag' ? readRedirect(source) : source.value),
  },
  scope: { flag: '--scope', member: 'scope', read: readScopes },
  workspace: {
    flag: '--workspace',
    variable: 'TTCTL_WORKSPACE',
    about: 'workspace to use, by id or name',
    member: 'workspace',
    read: readNonEmptyText,
  },
  timezone: { flag: '--timezone', member: 'timezone' },
  output: { variable: 'TTCTL_OUTPUT', about: 'output format', member: 'output' },
  rateLimit: {
    flag: '--rate-limit',
    variable: 'TTCTL_RATE_LIMIT',
    about: 'requests/seconds,writes/seconds (150/60,20/1), or off',
    member: 'rate_limit',
    read: readRateLimit,
    usual: DEFAULT_RATE,
  },
  timeoutSeconds: {
    flag: '--timeout',
    variable: 'TTCTL_TIMEOUT',
    about: `time limit of one request in seconds (${DEFAULT_TIMEOUT})`,
    shown: true,
    read: (source: Sourced<string>) => readSeconds(source, 'more than zero'),
    usual: DEFAULT_TIMEOUT,
  },
  maxWaitSeconds: {
    flag: '--max-wait',
    variable: 'TTCTL_MAX_WAIT',
    about: `seconds a request may wait when it is rate limited (${DEFAULT_MAX_WAIT})`,
    shown: true,
    read: readSeconds,
    usual: DEFAULT_MAX_WAIT,
  },
  settleSeconds: {
    flag: '--settle',
    variable: 'TTCTL_SETTLE',
    about: `seconds to look for what a write did if its response was lost (${DEFAULT_SETTLE}); 0 looks once`,
    member: 'settle',
    read: readSeconds,
    usual: DEFAULT_SETTLE,
  },
  readOnly: { flag: '--read-only', member: 'read_only', usual: false },
  protected: { flag: '--protected', member: 'protected', usual: false },
  token: {
    variable: 'TTCTL_TOKEN',
    about: 'Personal Access Token or access token; overrides the stored one',
    read: readNonEmptyText,
  },
  tokenCreated: {
    variable: 'TTCTL_TOKEN_CREATED',
    about: 'day TTCTL_TOKEN was created, so that auth check knows when it expires',
    read: readCalendarDay,
  },
  columns: { flag: '--columns', read: readColumns },
  sort: { flag: '--sort', read: readSort },
  header: { flag: '--no-header', usual: true },
  query: { flag: '--query', read: readNonEmptyText },
  yes: { flag: '--yes', usual: false },
  noInput: { flag: '--no-input', read: () => true, usual: false },
  dryRun: { flag: '--dry-run', usual: false },
  quiet: { flag: '--quiet', usual: false },
  debug: {
    flag: '--debug',
    variable: 'TTCTL_DEBUG',
    about: 'log every request and response to stderr, secrets redacted',
    read: () => true,
    usual: false,
  },
  log: {
    flag: '--log',
    variable: 'TTCTL_LOG',
    about: 'file to append every request, response and result to, one JSON line each; - is stderr',
    read: readNonEmptyText,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SETTINGS;

export function listSettings(): readonly (readonly [name: SettingName, setting: Setting])[] {
  return Object.entries(SETTINGS) as [SettingName, Setting][];
}

export interface SettingsInput {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  readonly file: SettingsFile;
  /** Where that lies, for errors. */
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
  const { flags, env, file, problems } = input;
  const chosen =
    collectProblems(problems, () => chooseProfile(input)) ?? byDefault('profile', DEFAULT_PROFILE);
  const place = { profile: chosen.value, file: input.path };
  const locate = <T>(source: Sourced<T>): Sourced<T> =>
    source.from === 'profile' ? { ...source, place } : source;
  const profile = findProfile(file, chosen.value) ?? {};
  const embedded = chosen.value === SANDBOX_PROFILE;
  const resolve = (name: SettingName, setting: Setting): unknown => {
    const { flag, variable, member, read, usual } = setting;
    if (name === 'output')
      return (
        collectProblems(problems, () => chooseOutput(flags, env, profile, locate)) ??
        byDefault('output', DEFAULT_FORMAT)
      );
    // The sandbox is where mistakes are harmless: an address left in the environment must not lead out of it.
    if (embedded && isAddress(setting)) return undefined;
    const source =
      findFlag(flags, flag) ??
      findVariable(env, variable, typeof usual === 'boolean') ??
      (name === 'noInput' ? findNoInput(env) : undefined) ??
      (member === undefined ? undefined : fromProfile(member, findMember(profile, member)));
    const value = collectProblems(problems, () =>
      read === undefined ? source : mapSource(source, (it) => read(locate(it) as Sourced<never>)),
    );
    const label = member ?? (flag ?? name).replace(/^--/, '').replaceAll('-', '_');
    return value ?? (usual === undefined ? undefined : byDefault(label, usual));
  };
  const addresses = listSettings().flatMap(([, setting]) =>
    isAddress(setting) ? (setting.variable ?? []) : [],
  );
  const unusedAddresses = embedded ? addresses.filter((name) => fromVariable(env, name) !== undefined) : [];
  const values: object = Object.fromEntries(
    listSettings().map(([name, setting]) => [name, resolve(name, setting)]),
  );
  return { ...(values as Settings), profile: chosen, embedded, unusedAddresses };
}

/** An address of the service; the sandbox has none. */
function isAddress({ read }: Setting): boolean {
  return read === readUrl;
}

/** A flag's value. Of a `--no-` flag its default is no wish; of a switch only that it was given. */
function findFlag(flags: GlobalFlags, flag: string | undefined): Sourced<unknown> | undefined {
  if (flag === undefined) return undefined;
  const isNegated = flag.startsWith('--no-');
  const key = flag
    .replace(/^--(no-)?/, '')
    .replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  const value = flags[key];
  return isNegated && value !== false ? undefined : fromFlag(flag, value);
}

function findVariable(env: Environment, name: string | undefined, isSwitch: boolean) {
  const source = name === undefined ? undefined : fromVariable(env, name);
  return source !== undefined && isSwitch && !isSwitchedOn(source.value) ? undefined : source;
}

/** CI says it too. */
function findNoInput(env: Environment) {
  return findVariable(env, 'TTCTL_NO_INPUT', true) ?? findVariable(env, 'CI', true);
}

/** A number is stored as a number or as text. */
function findMember(profile: Profile, member: string): unknown {
  const value = Object.hasOwn(profile, member) ? profile[member] : undefined;
  return typeof value === 'number' ? String(value) : value;
}

/** `--profile`, then `TTCTL_PROFILE`, then the file's `current_profile`, then `default`. */
function chooseProfile({ flags, env, file, newProfile }: SettingsInput): Sourced<string> {
  const chosen =
    fromFlag('--profile', flags.profile) ??
    fromVariable(env, 'TTCTL_PROFILE') ??
    fromProfile('current_profile', file.current_profile || undefined) ??
    byDefault('profile', DEFAULT_PROFILE);
  const name = chosen.value;
  if (!isProfileName(name))
    throw createBadValueError(chosen, `has an invalid profile name: "${name}"`, PROFILE_NAME_RULE);
  const builtIn = name === SANDBOX_PROFILE || name === DEFAULT_PROFILE;
  if (builtIn || newProfile === true || findProfile(file, name) !== undefined) return chosen;
  const others = [...new Set([...Object.keys(file.profiles), SANDBOX_PROFILE])].sort();
  throw new UsageError(`there is no profile "${name}"`, {
    code: 'unknown_profile',
    reason: `The name comes from ${chosen.from === 'profile' ? 'current_profile of the settings file' : chosen.name}.`,
    hint: `Profiles: ${others.join(', ')}. Create one with: ${commandLine`ttctl auth login --profile ${name}`}`,
    details: { profile: name, profiles: others, source: chosen.from },
  });
}

/** A format that was named, else what `--json` or `--query` mean, else the environment's, the profile's, the default. */
function chooseOutput(
  flags: GlobalFlags,
  env: Environment,
  profile: Profile,
  locate: (source: Sourced<string>) => Sourced<string>,
): Sourced<Format> {
  const named = mapSource(fromFlag('--output', flags.output), readFormat);
  if (flags.json === true && named !== undefined && named.value !== JSON_FORMAT) {
    throw new UsageError(`--json and --output ${named.value.name} cannot be used together`, {
      hint: 'Use one of them.',
    });
  }
  if (named !== undefined) return named;
  if (flags.json === true) return { value: JSON_FORMAT, from: 'flag', name: '--json' };
  if (flags.query !== undefined) return { value: JSON_FORMAT, from: 'flag', name: '--query' };
  const stored = fromVariable(env, 'TTCTL_OUTPUT') ?? fromProfile('output', profile.output);
  return mapSource(stored, (it) => readFormat(locate(it))) ?? byDefault('output', DEFAULT_FORMAT);
}

export interface GlobalFlags {
  readonly profile?: string;
  readonly output?: string;
  readonly json?: boolean;
  /** `--no-color` gives false; true has no effect. */
  readonly color?: boolean;
  readonly [flag: string]: unknown;
}

export interface Settings {
  readonly profile: Sourced<string>;
  /** Whether requests are answered by the sandbox in this process: addresses are undefined then. */
  readonly embedded: boolean;
  /** Id or name. */
  readonly workspace: Sourced<string> | undefined;
  readonly output: Sourced<Format>;
  readonly columns: Sourced<readonly string[]> | undefined;
  readonly sort: Sourced<SortOrder> | undefined;
  readonly header: Sourced<boolean>;
  readonly query: Sourced<string> | undefined;
  readonly yes: Sourced<boolean>;
  readonly noInput: Sourced<boolean>;
  /** With `--plan` too. */
  readonly dryRun: Sourced<boolean>;
  /** The file that planned changes go to; `-`: stdout. */
  readonly plan?: string | undefined;
  readonly quiet: Sourced<boolean>;
  readonly debug: Sourced<boolean>;
  /** The file that events are added to; `-`: stderr. */
  readonly log: Sourced<string> | undefined;
  readonly timeoutSeconds: Sourced<number>;
  readonly maxWaitSeconds: Sourced<number>;
  /** How long after a lost answer what the write did may still appear. */
  readonly settleSeconds: Sourced<number>;
  /** Of the environment alone; a stored credential is not looked at here. */
  readonly token: Sourced<string> | undefined;
  /** Day on which the token of the environment was made. */
  readonly tokenCreated: Sourced<string> | undefined;
  /** Variables that hold an address and are passed over: the profile `sandbox` leads nowhere else. */
  readonly unusedAddresses: readonly string[];
  readonly baseUrl: Sourced<string> | undefined;
  readonly authUrl: Sourced<string> | undefined;
  readonly tokenUrl: Sourced<string> | undefined;
  readonly clientId: Sourced<string> | undefined;
  readonly clientSecret: Sourced<string> | undefined;
  readonly redirectUri: Sourced<string> | undefined;
  /** A comma list. */
  readonly scope: Sourced<string> | undefined;
  /** Undefined: the system's. */
  readonly timezone: Sourced<string> | undefined;
  readonly rateLimit: Sourced<Rate | 'off'>;
  readonly readOnly: Sourced<boolean>;
  readonly protected: Sourced<boolean>;
}

/**
 * The flags of this run that say where it goes, as words. What the environment and the profile say is said to the
 * next command too.
 * @param workspaceId the id of another workspace, which the request itself names
 */
export function listDestinationFlags(
  { profile, workspace }: Pick<Settings, 'profile' | 'workspace'>,
  workspaceId?: unknown,
): readonly string[] {
  const flag = workspace?.from === 'flag' ? workspace.value : undefined;
  const selected = workspaceId ?? flag;
  return [
    ...(profile.from === 'flag' ? ['--profile', profile.value] : []),
    ...(selected === undefined ? [] : ['--workspace', toText(selected)]),
  ];
}

/** Command lines, to be copied, that go where this run goes. The parameters are those of `listDestinationFlags`. */
export function createCommandLine(
  settings: Pick<Settings, 'profile' | 'workspace'>,
  workspaceId?: unknown,
): CommandLine {
  return createCommandTemplate(listDestinationFlags(settings, workspaceId));
}
