import { collectProblems, UsageError } from '../outcome.ts';
import { DEFAULT_FORMAT, type Format, JSON_FORMAT } from '../output/formats/formats.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Environment } from './environment.ts';
import { findProfile, isProfileName, PROFILE_NAME_RULE, type Profile, type SettingsFile } from './profile.ts';
import type { GlobalFlags, Settings } from './settings-types.ts';
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
  resolveSwitch,
  type Sourced,
} from './values.ts';

/** Always there: the service itself, embedded. A stored one of that name adds settings. */
export const SANDBOX_PROFILE = 'sandbox';
/** Used when none is named; it need not be stored, since the environment may give all that is needed. */
export const DEFAULT_PROFILE = 'default';

interface ProfileOptions {
  readonly flag: string | undefined;
  readonly env: Environment;
  readonly file: SettingsFile;
  readonly newProfile?: boolean;
}

/** `--profile`, then `TTCTL_PROFILE`, then the file's `current_profile`, then `default`. */
const chooseProfile = ({ flag, env, file, newProfile }: ProfileOptions): Sourced<string> => {
  const chosen =
    fromFlag('--profile', flag) ??
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
    reason: `The name comes from ${chosen.from === 'profile' ? 'current_profile of the settings file' : chosen.name}`,
    hint: `Profiles: ${others.join(', ')}. Create one with: ${commandLine`ttctl auth login --profile ${name}`}`,
    details: { profile: name, profiles: others, source: chosen.from },
  });
};

interface OutputFlags {
  readonly output?: string;
  readonly json?: boolean;
  readonly query?: string;
}

/** A format that was named, else what `--json` or `--query` mean, else the environment's, the profile's, the default. */
const chooseOutput = (
  flags: OutputFlags,
  env: Environment,
  profile: Profile,
  readSource: typeof mapSource = mapSource,
): Sourced<Format> => {
  const named = readSource(fromFlag('--output', flags.output), readFormat);
  if (flags.json === true && named !== undefined && named.value !== JSON_FORMAT) {
    throw new UsageError(`--json and --output ${named.value.name} cannot be used together`, {
      hint: 'Use one of them.',
    });
  }
  if (named !== undefined) return named;
  if (flags.json === true) return { value: JSON_FORMAT, from: 'flag', name: '--json' };
  if (flags.query !== undefined) return { value: JSON_FORMAT, from: 'flag', name: '--query' };
  const stored = fromVariable(env, 'TTCTL_OUTPUT') ?? fromProfile('output', profile.output);
  return readSource(stored, readFormat) ?? byDefault('output', DEFAULT_FORMAT);
};

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

/** As `mapSource`. @throws UsageError where nobody gathers problems */
type ReadSource = typeof mapSource;

const resolveSwitches = (flags: GlobalFlags, env: Environment, profile: Profile) => ({
  header: { ...resolveSwitch('--no-header', flags.header === false, env, []), value: flags.header !== false },
  yes: resolveSwitch('--yes', flags.yes === true, env, []),
  noInput: resolveSwitch('--no-input', flags.input === false, env, ['TTCTL_NO_INPUT', 'CI']),
  dryRun: resolveSwitch('--dry-run', flags.dryRun === true, env, []),
  quiet: resolveSwitch('--quiet', flags.quiet === true, env, []),
  debug: resolveSwitch('--debug', flags.debug === true, env, ['TTCTL_DEBUG']),
  readOnly:
    fromFlag('--read-only', flags.readOnly) ??
    fromProfile('read_only', profile.read_only) ??
    byDefault('read_only', false),
  protected:
    fromFlag('--protected', flags.protected) ??
    fromProfile('protected', profile.protected) ??
    byDefault('protected', false),
});

const resolveNumbers = (flags: GlobalFlags, env: Environment, profile: Profile, readSource: ReadSource) => {
  const timeout = fromFlag('--timeout', flags.timeout) ?? fromVariable(env, 'TTCTL_TIMEOUT');
  const maxWait = fromFlag('--max-wait', flags.maxWait) ?? fromVariable(env, 'TTCTL_MAX_WAIT');
  const rate =
    fromFlag('--rate-limit', flags.rateLimit) ??
    fromVariable(env, 'TTCTL_RATE_LIMIT') ??
    fromProfile('rate_limit', profile.rate_limit);
  const settle =
    fromFlag('--settle', flags.settle) ??
    fromVariable(env, 'TTCTL_SETTLE') ??
    fromProfile('settle', profile.settle === undefined ? undefined : String(profile.settle));
  return {
    timeoutSeconds:
      readSource(timeout, (it) => readSeconds(it, 'more than zero')) ?? byDefault('timeout', DEFAULT_TIMEOUT),
    maxWaitSeconds:
      readSource(maxWait, (it) => readSeconds(it, 'zero')) ?? byDefault('max_wait', DEFAULT_MAX_WAIT),
    settleSeconds: readSource(settle, (it) => readSeconds(it, 'zero')) ?? byDefault('settle', DEFAULT_SETTLE),
    rateLimit: readSource(rate, readRateLimit) ?? byDefault('rate_limit', DEFAULT_RATE),
  };
};

/** The sandbox is where mistakes are harmless: an address left in the environment must not lead out of it. */
const resolveAddresses = (
  flags: GlobalFlags,
  env: Environment,
  profile: Profile,
  embedded: boolean,
  readSource: ReadSource,
) => {
  const resolveUrl = (
    flag: 'baseUrl' | 'authUrl' | 'tokenUrl',
    member: 'base_url' | 'auth_url' | 'token_url',
  ): Sourced<string> | undefined => {
    if (embedded) return undefined;
    const source =
      fromFlag(`--${member.replace('_', '-')}`, flags[flag]) ??
      fromVariable(env, `TTCTL_${member.toUpperCase()}`);
    return readSource(source ?? fromProfile(member, profile[member]), readUrl);
  };
  const variables = embedded ? ['TTCTL_BASE_URL', 'TTCTL_AUTH_URL', 'TTCTL_TOKEN_URL'] : [];
  return {
    unusedAddresses: variables.filter((name) => fromVariable(env, name) !== undefined),
    baseUrl: resolveUrl('baseUrl', 'base_url'),
    authUrl: resolveUrl('authUrl', 'auth_url'),
    tokenUrl: resolveUrl('tokenUrl', 'token_url'),
  };
};

const resolveTexts = (flags: GlobalFlags, env: Environment, profile: Profile, readSource: ReadSource) => {
  const workspace = profile.workspace === undefined ? undefined : String(profile.workspace);
  return {
    workspace: readSource(
      fromFlag('--workspace', flags.workspace) ??
        fromVariable(env, 'TTCTL_WORKSPACE') ??
        fromProfile('workspace', workspace),
      readNonEmptyText,
    ),
    columns: readSource(fromFlag('--columns', flags.columns), readColumns),
    sort: readSource(fromFlag('--sort', flags.sort), readSort),
    query: readSource(fromFlag('--query', flags.query), readNonEmptyText),
    log: readSource(fromFlag('--log', flags.log) ?? fromVariable(env, 'TTCTL_LOG'), readNonEmptyText),
    token: readSource(fromVariable(env, 'TTCTL_TOKEN'), readNonEmptyText),
    tokenCreated: readSource(fromVariable(env, 'TTCTL_TOKEN_CREATED'), readCalendarDay),
    clientId:
      fromFlag('--client-id', flags.clientId) ??
      fromVariable(env, 'TTCTL_CLIENT_ID') ??
      fromProfile('client_id', profile.client_id),
    clientSecret: fromVariable(env, 'TTCTL_CLIENT_SECRET'),
    redirectUri:
      // A stored one is judged when it is used, to sign in: nothing else needs it.
      readSource(fromFlag('--redirect-uri', flags.redirectUri), readRedirect) ??
      fromProfile('redirect_uri', profile.redirect_uri),
    scope: readSource(fromFlag('--scope', flags.scope) ?? fromProfile('scope', profile.scope), readScopes),
    timezone: fromFlag('--timezone', flags.timezone) ?? fromProfile('timezone', profile.timezone),
  };
};

/**
 * Every setting with its source: flag, then environment, then profile, then default. Pure. Throws a `UsageError`
 * that names the flag, the variable or the profile's member.
 */
export const resolveSettings = (input: SettingsInput): Settings => {
  const { flags, env, file, problems } = input;
  const collect = collectProblems(problems);
  const chosen =
    collect(() => chooseProfile({ ...input, flag: flags.profile })) ?? byDefault('profile', DEFAULT_PROFILE);
  const place = { profile: chosen.value, file: input.path };
  const readLocated: ReadSource = (source, read) =>
    mapSource(source, (it) => read(it.from === 'profile' ? { ...it, place } : it));
  const readSource: ReadSource = (source, read) => collect(() => readLocated(source, read));
  const profile = findProfile(file, chosen.value) ?? {};
  const embedded = chosen.value === SANDBOX_PROFILE;
  return {
    profile: chosen,
    embedded,
    output:
      collect(() => chooseOutput(flags, env, profile, readLocated)) ?? byDefault('output', DEFAULT_FORMAT),
    ...resolveSwitches(flags, env, profile),
    ...resolveNumbers(flags, env, profile, readSource),
    ...resolveAddresses(flags, env, profile, embedded, readSource),
    ...resolveTexts(flags, env, profile, readSource),
  };
};
