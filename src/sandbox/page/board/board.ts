import { Failure } from '../../../outcome.ts';
import type { SandboxControl } from '../../control.ts';
import type { SandboxRequest, SandboxResponse } from '../../exchange.ts';
import type { RequestLimits } from '../../limits.ts';
import type { World } from '../../world.ts';
import { createCardResponse } from '../frame.ts';
import { html } from '../html.ts';
import { findAction } from './actions.ts';
import { renderDeliveries } from './deliveries-view.ts';
import { renderFaults } from './faults-view.ts';
import { BOARD_KINDS } from './kinds.ts';
import { type Notice, renderLayout } from './layout.ts';
import { renderLog } from './log-view.ts';
import { renderOverview } from './overview.ts';
import { createPageAccess, PAGE_PATH, type PageAccess } from './page-access.ts';
import { renderList, renderRecord } from './records-view.ts';
import { renderSnapshots } from './snapshots-view.ts';
import { renderTokens } from './tokens-view.ts';
import type { RenderView, ViewModel } from './view.ts';

/** The page `/_sandbox/`: GET shows, a form's POST to `/_sandbox/do/…` acts and leads back. */

export interface BoardOptions {
  readonly control: SandboxControl;
  readonly world: () => World;
  /** The sandbox's time, ms. */
  readonly now: () => number;
  readonly limits: RequestLimits | 'off';
  /** Of the locator file. */
  readonly secret: string;
}

const VIEWS: Readonly<Record<string, RenderView>> = {
  '': renderOverview,
  log: renderLog,
  deliveries: renderDeliveries,
  faults: renderFaults,
  snapshots: renderSnapshots,
  tokens: renderTokens,
  ...Object.fromEntries(
    BOARD_KINDS.map((kind): [string, RenderView] => [
      kind.slug,
      async (model) => (model.rest.length === 0 ? renderList(model, kind) : renderRecord(model, kind)),
    ]),
  ),
};

/** What cannot be shown or done at all. */
const createRefusal = (status: number, reason: string): SandboxResponse =>
  createCardResponse(status, {
    title: 'Not possible',
    body: html`<h1>Not possible</h1><p>${reason}</p><p class="soft">Nothing was changed.</p>`,
  });

const createRedirect = (to: string, cookie?: string): SandboxResponse => ({
  status: 303,
  headers: {
    location: to,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  },
  body: '',
});

/** Undefined: what is written there is no text. */
const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/** Address without the number of a notice. */
const getAddress = ({ path, query }: SandboxRequest): string => {
  const parameters = new URLSearchParams(
    query.filter(([name]) => name !== 'note').map(([name, value]): [string, string] => [name, value]),
  );
  return `${path}${parameters.size === 0 ? '' : `?${parameters}`}`;
};

/** Where a form leads back to: a view of this page, whatever it says. */
const getReturnUrl = (fields: ReadonlyMap<string, string>): URL => {
  const requested = fields.get('back') ?? '';
  const path = /^\/_sandbox\/(view\/[^\\]*|\?[^\\]*)?$/.test(requested) ? requested : PAGE_PATH;
  return new URL(path, 'http://sandbox.invalid');
};

const MAX_NOTICES = 50;

/** What was done, until the page that tells it is shown. */
const createNotices = () => {
  const stored = new Map<string, Notice>();
  let lastId = 0;
  return {
    add(notice: Notice): string {
      lastId += 1;
      stored.set(String(lastId), notice);
      stored.delete(String(lastId - MAX_NOTICES));
      return String(lastId);
    },
    get: (id: string | undefined): Notice | undefined => (id === undefined ? undefined : stored.get(id)),
  };
};

const toFailureNotice = (error: unknown): Notice => {
  if (!(error instanceof Failure)) return { tone: 'bad', text: 'Something went wrong.' };
  const sentences = [error.message, error.reason, error.hint].filter((part) => part !== undefined);
  return { tone: 'bad', text: sentences.map((part) => part.replace(/\.?$/, '.')).join(' ') };
};

type Notices = ReturnType<typeof createNotices>;

const performAction = async (
  { control }: BoardOptions,
  access: PageAccess,
  notices: Notices,
  request: SandboxRequest,
): Promise<SandboxResponse> => {
  const fields = new Map(new URLSearchParams(request.body));
  const reason = access.whyNot(request, fields);
  if (reason !== undefined) return createRefusal(403, reason);
  const action = findAction(request.path.slice(`${PAGE_PATH}do/`.length));
  if (action === undefined) return createRefusal(404, 'There is no such form.');
  const notice = await action(control, fields).then(
    (text): Notice => ({ tone: 'good', text }),
    (error: unknown) => toFailureNotice(error),
  );
  const returnUrl = getReturnUrl(fields);
  returnUrl.searchParams.set('note', notices.add(notice));
  return createRedirect(`${returnUrl.pathname}${returnUrl.search}`);
};

const showView = async (
  options: BoardOptions,
  access: PageAccess,
  notices: Notices,
  request: SandboxRequest,
): Promise<SandboxResponse> => {
  const [slug = '', ...rest] =
    request.path === PAGE_PATH ? [] : request.path.slice(`${PAGE_PATH}view/`.length).split('/');
  const query = new Map(request.query);
  const world = options.world();
  const model: ViewModel = {
    control: options.control,
    world,
    now: options.now(),
    limits: options.limits,
    query,
    rest: rest.map((segment) => decodeSegment(segment) ?? ''),
    here: getAddress(request),
    acts: access.mayAct(request),
    word: access.formWord,
  };
  const view = Object.hasOwn(VIEWS, slug) ? await VIEWS[slug]?.(model) : undefined;
  const layout = { slug, notice: notices.get(query.get('note')), seed: world.seed };
  if (view !== undefined) return renderLayout(200, model, view, layout);
  const body = html`<h1>Not found</h1><p>This page does not exist. <a href="${PAGE_PATH}">Go to the overview</a></p>`;
  return renderLayout(404, model, { title: 'Not found', body }, layout);
};

export const createBoard = (options: BoardOptions) => {
  const access = createPageAccess(options.secret);
  const notices = createNotices();
  return async (request: SandboxRequest): Promise<SandboxResponse> => {
    const { method, path } = request;
    if (access.isForeign(request)) return createRefusal(403, 'Other sites may not use this page.');
    const isAction = path.startsWith(`${PAGE_PATH}do/`);
    if (isAction && method === 'POST') return performAction(options, access, notices, request);
    if (isAction || method !== 'GET') return createRefusal(405, `This address does not accept ${method}.`);
    const session = access.enter(request);
    if (session === undefined) return showView(options, access, notices, request);
    const notice = { tone: 'bad', text: 'The key in the address belongs to another sandbox.' } as const;
    return session.cookie === undefined
      ? createRedirect(`${PAGE_PATH}?note=${notices.add(notice)}`)
      : createRedirect(PAGE_PATH, session.cookie);
  };
};
