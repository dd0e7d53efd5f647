import type { AuthService, OAuthApplication } from '../../auth/service.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { findAddressProblem, normalizeAddress } from '../../parsing/address.ts';
import { findScopeProblem, parseScopes } from '../../parsing/names.ts';

/** Gathers what an OAuth2 sign-in needs: from flags, environment and profile, and from a person for what is missing. */

export interface Registration extends OAuthApplication {
  readonly authUrl: string;
}

type Options = Readonly<Record<string, unknown>>;

/** How a client may tell its secret (docs/service.md, OAuth2). */
export const CLIENT_AUTH = ['body', 'basic'] as const;

/** What Personal Access Tokens need beside themselves. @throws UsageError where nobody can be asked */
export function readBaseUrl(context: Context): Promise<string> {
  if (context.settings.baseUrl === undefined && !context.prompter.available)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example: --base-url https://<host>/api/v2',
    });
  return askAddress(
    context,
    'base URL of the API, such as https://<host>/api/v2',
    context.settings.baseUrl?.value,
  );
}

/** @param fallback offered to a person, never taken unasked */
async function askAddress(
  { prompter }: Context,
  question: string,
  known: string | undefined,
  fallback?: string,
): Promise<string> {
  if (known !== undefined) return known;
  const check = (text: string) => toSentence(findAddressProblem(text));
  return normalizeAddress(
    await prompter.text(question, { check, ...(fallback === undefined ? {} : { fallback }) }),
  );
}

const toSentence = (problem: string | undefined): string | undefined => problem && `This ${problem}.`;

/**
 * @param browser whether a person approves: then there is an authorization host too
 * @throws UsageError that names all flags of what is missing, where nobody can be asked
 */
export async function gatherRegistration(
  context: Context,
  service: AuthService,
  options: Options,
  browser: boolean,
): Promise<Registration> {
  const { settings, prompter } = context;
  if (!prompter.available) refuseMissing(context, browser);
  const baseUrl = await readBaseUrl(context);
  const { origin } = new URL(baseUrl);
  const authUrl = browser
    ? await askAddress(
        context,
        'authorization URL, without /oauth/authorize',
        settings.authUrl?.value,
        origin,
      )
    : origin;
  const tokenUrl = await askAddress(
    context,
    'token URL, without /oauth/token',
    settings.tokenUrl?.value,
    authUrl,
  );
  const clientId = settings.clientId?.value ?? (await prompter.text('client id of your application'));
  const clientSecret = await readClientSecret(context, service, clientId, options.clientSecretStdin === true);
  const clientAuth = options.clientAuth === 'basic' ? 'basic' : 'body';
  return {
    baseUrl,
    authUrl,
    tokenUrl,
    clientId,
    clientSecret,
    clientAuth,
    scopes: await readScopes(context),
  };
}

function refuseMissing({ settings }: Context, browser: boolean): void {
  const { baseUrl, authUrl, tokenUrl, clientId } = settings;
  const flags = {
    '--base-url': baseUrl,
    ...(browser ? { '--auth-url': authUrl } : {}),
    '--token-url': tokenUrl,
    '--client-id': clientId,
  };
  const missing = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? flag : []));
  if (missing.length === 0) return;
  throw new UsageError(`missing ${missing.join(', ')}`, {
    code: 'missing_value',
    hint: 'Pass them as flags, or store them in the profile: ttctl profile set --help. A Personal Access Token needs only --base-url: add --token-stdin.',
  });
}

/** From stdin, the environment, the sign-in before with the same application, or a question. */
async function readClientSecret(
  { settings, prompter, credentials }: Context,
  service: AuthService,
  clientId: string,
  fromStdin: boolean,
): Promise<string> {
  const stored = fromStdin ? undefined : (await credentials()).read(settings.profile.value);
  const storedSecret = stored?.client_id === clientId ? stored.client_secret : undefined;
  const known = fromStdin ? undefined : (settings.clientSecret?.value ?? storedSecret);
  if (known !== undefined) return known;
  const read = async () => (fromStdin ? await service.readLine() : undefined);
  const entered = prompter.available ? await prompter.secret('client secret') : await read();
  const secret = entered?.trim() ?? '';
  if (secret !== '') return secret;
  throw new UsageError('no client secret', {
    code: 'missing_value',
    hint: 'Pipe it in with --client-secret-stdin, or set TTCTL_CLIENT_SECRET.',
  });
}

const DEFAULT_SCOPES = 'read,write';

async function readScopes({ settings, prompter }: Context): Promise<readonly string[]> {
  if (settings.scope !== undefined) return parseScopes(settings.scope.value);
  if (!prompter.available) return parseScopes(DEFAULT_SCOPES);
  const check = (text: string) => toSentence(findScopeProblem(text));
  return parseScopes(await prompter.text('scopes to request', { fallback: DEFAULT_SCOPES, check }));
}
