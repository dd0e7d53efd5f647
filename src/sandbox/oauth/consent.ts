import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { renderConsentPage } from '../page/consent.ts';
import { renderProblemPage } from '../page/problem.ts';
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
import { isForm } from './form.ts';
import { type GrantTime, issueCode } from './grants.ts';
import { OAuthRefused } from './refusal.ts';

/** GET and POST /oauth/authorize: the page on which a person approves or denies. */

export interface ConsentOptions {
  /** E-mail address of who approves every request at once, with no page. */
  readonly autoApprove?: string | undefined;
}

interface Pending {
  readonly ask: AuthorizationRequest;
  readonly expires_ms: number;
  /** Where the decision led. A second click on the button leads there too. */
  location?: string;
}

const PENDING_LIFE_MS = 10 * 60_000;
const MOST_PENDING = 1000;

const redirect = (location: string): SandboxResponse => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
});

const approve = (world: World, ask: AuthorizationRequest, user: User, moment: GrantTime): string => {
  const { app, redirect_uri, scopes, challenge, state } = ask;
  const approved = { client_id: app.client_id, user_id: user.id, scopes: [...scopes] };
  const code = issueCode(world, { ...approved, redirect_uri, challenge }, moment);
  return buildRedirect(redirect_uri, { code }, state);
};

const deny = ({ redirect_uri, state }: AuthorizationRequest): string =>
  buildRefusalRedirect(
    new OAuthRefused('access_denied', 'The resource owner denied the request.'),
    redirect_uri,
    state,
  );

/** Another site's page may show a form to us; a browser then says where it came from. @throws NotRedirected */
const refuseForeign = ({ headers }: SandboxRequest): void => {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const foreign =
    (origin !== undefined && origin !== `http://${host}`) || (site ?? 'same-origin') !== 'same-origin';
  if (foreign) throw new NotRedirected('The form was sent from another site.');
};

/** Approves without asking. */
const approveAtOnce = (world: World, ask: AuthorizationRequest, email: string, moment: GrantTime): string => {
  const user = findUserByEmail(world, email);
  if (user !== undefined && listApprovers(world).includes(user)) return approve(world, ask, user, moment);
  const why = `--auto-approve names ${email}, who is not an Owner or Executive Manager here.`;
  return buildRefusalRedirect(new OAuthRefused('server_error', why), ask.redirect_uri, ask.state);
};

/** The pages that are open now. They are of this process: a sandbox that starts again has none. */
const createDesk = () => {
  const open = new Map<string, Pending>();
  return {
    /** @returns what stands for the request on its page, and is known there alone */
    remember: (ask: AuthorizationRequest, { now, random }: GrantTime): string => {
      for (const [id, { expires_ms }] of open) if (now >= expires_ms) open.delete(id);
      const [oldest] = open.keys();
      if (open.size >= MOST_PENDING && oldest !== undefined) open.delete(oldest);
      const id = createSecret(random, 43);
      open.set(id, { ask, expires_ms: now + PENDING_LIFE_MS });
      return id;
    },
    /** @throws NotRedirected */
    require: (id: string | null, { now }: GrantTime): Pending => {
      const pending = open.get(id ?? '');
      if (pending !== undefined && now < pending.expires_ms) return pending;
      throw new NotRedirected('This page has expired or is not valid. Start the sign-in again.');
    },
  };
};

/** Where the decision leads. @throws NotRedirected for none, and for who may not approve */
const decisionOf = (
  world: World,
  ask: AuthorizationRequest,
  sent: URLSearchParams,
  moment: GrantTime,
): string => {
  if (sent.get('decision') === 'deny') return deny(ask);
  const user = findRecord(world.users, sent.get('member') ?? '');
  const may = user !== undefined && listApprovers(world).includes(user);
  if (sent.get('decision') === 'approve' && may) return approve(world, ask, user, moment);
  throw new NotRedirected('Only an active Owner or Executive Manager can approve.');
};

type Answer = (request: SandboxRequest, moment: GrantTime) => SandboxResponse;

/** Answers the authorize page of a world; `world` gets a code where something is approved. */
export const createConsent = (world: World, { autoApprove }: ConsentOptions): Answer => {
  const service = createDesk();
  const show: Answer = (request, moment) => {
    const ask = requireAuthorizationRequest(world, request);
    if ('location' in ask) return redirect(ask.location);
    if (autoApprove !== undefined) return redirect(approveAtOnce(world, ask, autoApprove, moment));
    return renderConsentPage(world, ask, listApprovers(world), service.remember(ask, moment));
  };
  const decide: Answer = (request, moment) => {
    refuseForeign(request);
    const sent = isForm(request) ? new URLSearchParams(request.body) : new URLSearchParams();
    const pending = service.require(sent.get('request'), moment);
    pending.location ??= decisionOf(world, pending.ask, sent, moment);
    return redirect(pending.location);
  };
  return (request, moment) => {
    try {
      if (request.method === 'GET') return show(request, moment);
      if (request.method === 'POST') return decide(request, moment);
      return renderProblemPage(405, 'Open this page with GET.', []);
    } catch (thrown) {
      if (thrown instanceof NotRedirected) return renderProblemPage(400, thrown.message, thrown.facts);
      throw thrown;
    }
  };
};
