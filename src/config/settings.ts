import { collectProblems, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { DEFAULT_FORMAT, findFormat, JSON_FORMAT } from '../output/formats/formats.ts';
import { type CommandLine, commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Environment } from './environment.ts';
import {
  createBadValueError,
  DEFAULT_MAX_WAIT,
  DEFAULT_RATE,
  DEFAULT_SETTLE,
  DEFAULT_TIMEOUT,
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
  type Sourced,
} from './values.ts';

/** Always there: the service itself, embedded. A stored one of that name adds settings. */
export const SANDBOX_PROFILE = 'sandbox';
/** Its address: no request for it leaves the process. */
export const EMBEDDED_BASE = 'http://localhost/api/v2';
/** Used when none is named; it need not be stored, since the environment may give all that is needed. */
export const DEFAULT_PROFILE = 'default';

/** A setting: the first of its sources that says something gives the value. */
export interface Setting {
  /** `--max-wait`; of `--no-header` only the bare switch counts. */
  readonly flag?: `--${string}`;
  /** Of one that is usually true or false, empty, `0` and `false` say nothing. */
  readonly variable?: string;
  /** Variables that switch it on, in place of that one. */
  readonly switches?: readonly string[];
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

/** All settings but the profile, in the order in which they are shown. */
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
  /** A comma list. */
  scope: { flag: '--scope', member: 'scope', read: readScopes },
  /** Id or name. */
  workspace: {
    flag: '--workspace',
    variable: 'TTCTL_WORKSPACE',
    about: 'workspace to use, by id or name',
    member: 'workspace',
    read: readNonEmptyText,
  },
  /** Undefined: the system's. */
  timezone: { flag: '--timezone', member: 'timezone' },
  output: {
    flag: '--output',
    variable: 'TTCTL_OUTPUT',
    about: 'output format',
    member: 'output',
    read: readFormat,
    usual: DEFAULT_FORMAT,
  },
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
    read: (source: Sourced<string>) => readSeconds(source, 'more'),
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
  /** How long after a lost answer what the write did may still appear. */
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
  /** Of the environment alone; a stored credential is not looked at here. */
  token: {
    variable: 'TTCTL_TOKEN',
    about: 'Personal Access Token or access token; overrides the stored one',
    read: readNonEmptyText,
  },
  /** Day on which the token of the environment was made. */
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
  noInput: {
    flag: '--no-input',
    switches: ['TTCTL_NO_INPUT', 'CI'],
    read: (): boolean => true,
    usual: false,
  },
  /** With `--plan` too. */
  dryRun: { flag: '--dry-run', usual: false },
  quiet: { flag: '--quiet', usual: false },
  debug: {
    flag: '--debug',
    variable: 'TTCTL_DEBUG',
    about: 'log every request and response to stderr, secrets redacted',
    read: (): boolean => true,
    usual: false,
  },
  /** The file that events are added to; `-`: stderr. */
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
  /** Variables that hold an address and are passed over: the profile `sandbox` leads nowhere else. */
  readonly unusedAddresses: readonly string[];
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

export interface Profile {
  readonly base_url?: string;
  readonly output?: string;
  readonly [member: string]: unknown;
}

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
  const profile = collectProblems(problems, () => chooseProfile(input)) ?? USUAL_PROFILE;
  const place = { profile: profile.value, file: input.path };
  // Own members only: a profile may be called `constructor`.
  const stored = Object.hasOwn(file.profiles, profile.value) ? file.profiles[profile.value] : {};
  const embedded = profile.value === SANDBOX_PROFILE;
  const named = findFormat(flags.output);
  if (flags.json === true && named !== undefined && named !== JSON_FORMAT)
    collectProblems(problems, () => {
      const hint = 'Use one of them.';
      throw new UsageError(`--json and --output ${named.name} cannot be used together`, { hint });
    });
  const asJson = flags.json === true ? '--json' : flags.query !== undefined && '--query';
  const values: Record<string, unknown> = {};
  const unusedAddresses: string[] = [];
  for (const [name, setting] of listSettings()) {
    const { variable = '', read, usual } = setting;
    values[name] = undefined;
    // The sandbox is where mistakes are harmless: an address left in the environment must not lead out of it.
    if (embedded && read === readUrl) {
      if (env[variable]) unusedAddresses.push(variable);
      continue;
    }
    if (name === 'output' && asJson && flags.output === undefined) {
      values.output = { value: JSON_FORMAT, from: 'flag', name: asJson };
      continue;
    }
    values[name] = collectProblems(problems, () => {
      const source = findSource(setting, input, stored ?? {});
      if (source === undefined || read === undefined) return source;
      return { ...source, value: read({ ...source, ...(source.from === 'profile' && { place }) } as never) };
    });
    if (usual !== undefined) values[name] ??= { value: usual, from: 'default', name };
  }
  return { ...(values as unknown as Resolved), profile, embedded, unusedAddresses };
}

const USUAL_PROFILE: Sourced<string> = { value: DEFAULT_PROFILE, from: 'default', name: 'profile' };

function findSource(
  { flag, variable, switches = [], member = '', usual }: Setting,
  { flags, env }: Pick<SettingsInput, 'flags' | 'env'>,
  stored: Readonly<Record<string, unknown>>,
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
      return { value, from: 'environment', name };
  }
  const kept = Object.hasOwn(stored, member) ? stored[member] : undefined;
  if (kept === undefined) return undefined;
  // A number is stored as a number or as text.
  return { value: typeof kept === 'number' ? String(kept) : kept, from: 'profile', name: member };
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
  const others = [...new Set(names)].sort();
  throw new UsageError(`there is no profile "${name}"`, {
    code: 'unknown_profile',
    reason: `The name comes from ${from === 'profile' ? 'current_profile of the settings file' : chosen.name}.`,
    hint: `Profiles: ${others.join(', ')}. Create one with: ${commandLine`ttctl auth login --profile ${name}`}`,
    details: { profile: name, profiles: others, source: from },
  });
}

/** Names may stand in a path, so `.` and `..` are none. */
export function isProfileName(name: string): boolean {
  return /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name);
}

export const PROFILE_NAME_RULE = 'Use only letters, digits, "-", "_" and ".".';

/**
 * The flags of this run that say where it goes, as words; the environment and the profile speak to the next command too.
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
