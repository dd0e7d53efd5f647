import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { createSecret, findRecord, findUserByEmail } from '../state.ts';
import type { User, World } from '../world.ts';
import {
  type AuthorizationRequest,
  buildRedirect,
  buildRefusalRedirect,
  listApprovers,
  NotRedirected,
  requireAuthorizationRequest,
} from './authorize.ts';
import { renderConsentPage } from './consent-page.ts';
import { isForm } from './form.ts';
import { type GrantTime, issueCode } from './grants.ts';
import { renderProblemPage } from './pages.ts';
import { OAuthRefused } from './refusal.ts';

/** GET and POST /oauth/authorize: the page on which a person approves or denies. */

export interface ConsentOptions {
  /** E-mail address of who approves every request at once, with no page. */
  readonly autoApprove?: string | undefined;
}

interface PendingRequest {
  readonly authorization: AuthorizationRequest;
  readonly expires_ms: number;
  /** Where the decision led. A second click on the button leads there too. */
  location?: string;
}

const PENDING_LIFE_MS = 10 * 60_000;
const MAX_PENDING = 1000;

const createRedirect = (location: string): SandboxResponse => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
});

const approve = (world: World, authorization: AuthorizationRequest, user: User, time: GrantTime): string => {
  const { app, redirect_uri, scopes, challenge, state } = authorization;
  const grant = { client_id: app.client_id, user_id: user.id, scopes: [...scopes] };
  const code = issueCode(world, { ...grant, redirect_uri, challenge }, time);
  return buildRedirect(redirect_uri, { code }, state);
};

const deny = ({ redirect_uri, state }: AuthorizationRequest): string =>
  buildRefusalRedirect(
    new OAuthRefused('access_denied', 'The resource owner denied the request.'),
    redirect_uri,
    state,
  );

/** Another site's page may show a form to us; a browser then says where it came from. @throws NotRedirected */
const requireSameOrigin = ({ headers }: SandboxRequest): void => {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign =
    (origin !== undefined && origin !== `http://${host}`) || (site ?? 'same-origin') !== 'same-origin';
  if (isForeign) throw new NotRedirected('The form was sent from another site.');
};

/** Approves without asking. */
const approveAutomatically = (
  world: World,
  authorization: AuthorizationRequest,
  email: string,
  time: GrantTime,
): string => {
  const user = findUserByEmail(world, email);
  if (user !== undefined && listApprovers(world).includes(user))
    return approve(world, authorization, user, time);
  const reason = `--auto-approve names ${email}, who is not an Owner or Executive Manager here.`;
  return buildRefusalRedirect(
    new OAuthRefused('server_error', reason),
    authorization.redirect_uri,
    authorization.state,
  );
};

/** The pages that are open now. They are of this process: a sandbox that starts again has none. */
const createPendingRequests = () => {
  const requests = new Map<string, PendingRequest>();
  return {
    /** @returns what stands for the request on its page, and is known there alone */
    add: (authorization: AuthorizationRequest, { now, random }: GrantTime): string => {
      for (const [id, { expires_ms }] of requests) if (now >= expires_ms) requests.delete(id);
      const [oldest] = requests.keys();
      if (requests.size >= MAX_PENDING && oldest !== undefined) requests.delete(oldest);
      const id = createSecret(random, 43);
      requests.set(id, { authorization, expires_ms: now + PENDING_LIFE_MS });
      return id;
    },
    /** @throws NotRedirected */
    require: (id: string | null, { now }: GrantTime): PendingRequest => {
      const pending = requests.get(id ?? '');
      if (pending !== undefined && now < pending.expires_ms) return pending;
      throw new NotRedirected('This page has expired or is not valid. Start the sign-in again.');
    },
  };
};

/** Where the decision leads. @throws NotRedirected for none, and for who may not approve */
const applyDecision = (
  world: World,
  authorization: AuthorizationRequest,
  form: URLSearchParams,
  time: GrantTime,
): string => {
  if (form.get('decision') === 'deny') return deny(authorization);
  const user = findRecord(world.users, form.get('member') ?? '');
  const mayApprove = user !== undefined && listApprovers(world).includes(user);
  if (form.get('decision') === 'approve' && mayApprove) return approve(world, authorization, user, time);
  throw new NotRedirected('Only an active Owner or Executive Manager can approve.');
};

type AnswerAuthorize = (request: SandboxRequest, time: GrantTime) => SandboxResponse;

/** Answers the authorize page of a world; `world` gets a code where something is approved. */
export const createConsent = (world: World, { autoApprove }: ConsentOptions): AnswerAuthorize => {
  const pendingRequests = createPendingRequests();
  const show: AnswerAuthorize = (request, time) => {
    const authorization = requireAuthorizationRequest(world, request);
    if ('location' in authorization) return createRedirect(authorization.location);
    if (autoApprove !== undefined)
      return createRedirect(approveAutomatically(world, authorization, autoApprove, time));
    return renderConsentPage(
      world,
      authorization,
      listApprovers(world),
      pendingRequests.add(authorization, time),
    );
  };
  const decide: AnswerAuthorize = (request, time) => {
    requireSameOrigin(request);
    const form = isForm(request) ? new URLSearchParams(request.body) : new URLSearchParams();
    const pending = pendingRequests.require(form.get('request'), time);
    pending.location ??= applyDecision(world, pending.authorization, form, time);
    return createRedirect(pending.location);
  };
  return (request, time) => {
    try {
      if (request.method === 'GET') return show(request, time);
      if (request.method === 'POST') return decide(request, time);
      return renderProblemPage(405, 'Open this page with GET.', []);
    } catch (thrown) {
      if (thrown instanceof NotRedirected) return renderProblemPage(400, thrown.message, thrown.facts);
      throw thrown;
    }
  };
};
