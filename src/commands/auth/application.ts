import type { AuthService, OAuthApplication } from '../../auth/service.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { findAddressProblem, normalizeAddress } from '../../parsing/address.ts';
import { findScopeProblem, parseScopes } from '../../parsing/names.ts';

/** Gathers what an OAuth2 sign-in needs: from flags, environment and profile, and from a person for what is missing. */

/** Where the application is registered, and where a person approves. */
export interface Registration extends OAuthApplication {
  readonly authUrl: string;
}

type Options = Readonly<Record<string, unknown>>;

interface Question {
  readonly flag: string;
  readonly ask: string;
  readonly value: string | undefined;
  readonly address: boolean;
  /** Offered to a person, never taken unasked. */
  readonly fallback?: string;
}

const checkAddress = (text: string): string | undefined => {
  const problem = findAddressProblem(text);
  return problem && `This ${problem}.`;
};

const askQuestion = async ({ prompter }: Context, question: Question): Promise<string> => {
  const { ask, value, address, fallback } = question;
  if (value !== undefined) return value;
  const check = address ? checkAddress : undefined;
  const text = await prompter.text(ask, {
    ...(fallback === undefined ? {} : { fallback }),
    ...(check === undefined ? {} : { check }),
  });
  return address ? normalizeAddress(text) : text;
};

/** What a Personal Access Token needs beside itself. @throws UsageError where nobody can be asked */
export const readBaseUrl = async (context: Context): Promise<string> => {
  const { base } = buildQuestions(context.settings);
  if (base.value === undefined && !context.prompter.available)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example: --base-url https://<host>/api/v2',
    });
  return askQuestion(context, base);
};

const refuseMissing = (questions: readonly Question[]): void => {
  const missing = questions.filter(({ value }) => value === undefined).map(({ flag }) => flag);
  if (missing.length === 0) return;
  throw new UsageError(`missing ${missing.join(', ')}`, {
    code: 'missing_value',
    hint: 'Pass them as flags, or store them in the profile: ttctl profile set --help. A Personal Access Token needs only --base-url: add --token-stdin.',
  });
};

/** From stdin, the environment, the sign-in before with the same application, or a question. */
const readClientSecret = async (
  context: Context,
  service: AuthService,
  clientId: string,
  options: Options,
): Promise<string> => {
  const { settings, prompter, credentials } = context;
  const fromStdin = options.clientSecretStdin === true;
  const stored = fromStdin ? undefined : (await credentials()).read(settings.profile.value);
  const storedSecret = stored?.client_id === clientId ? stored.client_secret : undefined;
  const knownSecret = fromStdin ? undefined : (settings.clientSecret?.value ?? storedSecret);
  if (knownSecret !== undefined) return knownSecret;
  const entered = prompter.available
    ? await prompter.secret('client secret')
    : fromStdin
      ? ((await service.readLine()) ?? '')
      : '';
  if (entered.trim() !== '') return entered.trim();
  throw new UsageError('no client secret', {
    code: 'missing_value',
    hint: 'Pipe it in with --client-secret-stdin, or set TTCTL_CLIENT_SECRET.',
  });
};

const DEFAULT_SCOPES = 'read,write';

const readScopes = async ({ settings, prompter }: Context): Promise<readonly string[]> => {
  if (settings.scope !== undefined) return parseScopes(settings.scope.value);
  if (!prompter.available) return parseScopes(DEFAULT_SCOPES);
  const check = (text: string) => {
    const problem = findScopeProblem(text);
    return problem && `This ${problem}.`;
  };
  return parseScopes(await prompter.text('scopes to request', { fallback: DEFAULT_SCOPES, check }));
};

/** How a client may tell its secret (docs/service.md, OAuth2). */
export const CLIENT_AUTH = ['body', 'basic'] as const;

const parseClientAuth = (options: Options): OAuthApplication['clientAuth'] => {
  return options.clientAuth === 'basic' ? 'basic' : 'body';
};

const buildQuestions = ({ baseUrl, authUrl, tokenUrl, clientId }: Context['settings']) => ({
  base: {
    flag: '--base-url',
    ask: 'base URL of the API, such as https://<host>/api/v2',
    value: baseUrl?.value,
    address: true,
  },
  auth: {
    flag: '--auth-url',
    ask: 'authorization URL, without /oauth/authorize',
    value: authUrl?.value,
    address: true,
  },
  token: {
    flag: '--token-url',
    ask: 'token URL, without /oauth/token',
    value: tokenUrl?.value,
    address: true,
  },
  client: {
    flag: '--client-id',
    ask: 'client id of your application',
    value: clientId?.value,
    address: false,
  },
});

/**
 * @param browser whether a person approves: then there is an authorization host too
 * @throws UsageError that names all flags of what is missing, where nobody can be asked
 */
export const gatherRegistration = async (
  context: Context,
  service: AuthService,
  options: Options,
  browser: boolean,
): Promise<Registration> => {
  const clientAuth = parseClientAuth(options);
  const { base, auth, token, client } = buildQuestions(context.settings);
  if (!context.prompter.available) refuseMissing([base, ...(browser ? [auth] : []), token, client]);
  const baseUrl = await askQuestion(context, base);
  const { origin } = new URL(baseUrl);
  const authUrl = browser ? await askQuestion(context, { ...auth, fallback: origin }) : origin;
  const tokenUrl = await askQuestion(context, { ...token, fallback: authUrl });
  const clientId = await askQuestion(context, client);
  const clientSecret = await readClientSecret(context, service, clientId, options);
  const scopes = await readScopes(context);
  return { baseUrl, authUrl, tokenUrl, clientId, clientSecret, clientAuth, scopes };
};
