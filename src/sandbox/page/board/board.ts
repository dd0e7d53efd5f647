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
const refused = (status: number, why: string): SandboxResponse =>
  createCardResponse(status, {
    title: 'Not possible',
    body: html`<h1>Not possible</h1><p>${why}</p><p class="soft">Nothing was changed.</p>`,
  });

const redirect = (to: string, cookie?: string): SandboxResponse => ({
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
const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/** Address without the number of a notice. */
const addressOf = ({ path, query }: SandboxRequest): string => {
  const kept = new URLSearchParams(
    query.filter(([name]) => name !== 'note').map(([name, value]): [string, string] => [name, value]),
  );
  return `${path}${kept.size === 0 ? '' : `?${kept}`}`;
};

/** Where a form leads back to: a view of this page, whatever it says. */
const backOf = (fields: ReadonlyMap<string, string>): URL => {
  const wanted = fields.get('back') ?? '';
  const safe = /^\/_sandbox\/(view\/[^\\]*|\?[^\\]*)?$/.test(wanted) ? wanted : PAGE_PATH;
  return new URL(safe, 'http://sandbox.invalid');
};

const KEPT_NOTICES = 50;

/** What was done, until the page that tells it is shown. */
const createNotices = () => {
  const kept = new Map<string, Notice>();
  let last = 0;
  return {
    add(notice: Notice): string {
      last += 1;
      kept.set(String(last), notice);
      kept.delete(String(last - KEPT_NOTICES));
      return String(last);
    },
    get: (id: string | undefined): Notice | undefined => (id === undefined ? undefined : kept.get(id)),
  };
};

const failed = (error: unknown): Notice => {
  if (!(error instanceof Failure)) return { tone: 'bad', text: 'Something went wrong.' };
  const sentences = [error.message, error.reason, error.hint].filter((part) => part !== undefined);
  return { tone: 'bad', text: sentences.map((part) => part.replace(/\.?$/, '.')).join(' ') };
};

type Notices = ReturnType<typeof createNotices>;

const act = async (
  { control }: BoardOptions,
  gate: PageAccess,
  notices: Notices,
  request: SandboxRequest,
): Promise<SandboxResponse> => {
  const fields = new Map(new URLSearchParams(request.body));
  const why = gate.whyNot(request, fields);
  if (why !== undefined) return refused(403, why);
  const work = findAction(request.path.slice(`${PAGE_PATH}do/`.length));
  if (work === undefined) return refused(404, 'There is no such form.');
  const notice = await work(control, fields).then(
    (text): Notice => ({ tone: 'good', text }),
    (error: unknown) => failed(error),
  );
  const back = backOf(fields);
  back.searchParams.set('note', notices.add(notice));
  return redirect(`${back.pathname}${back.search}`);
};

const show = async (
  options: BoardOptions,
  gate: PageAccess,
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
    rest: rest.map((segment) => decoded(segment) ?? ''),
    here: addressOf(request),
    acts: gate.mayAct(request),
    word: gate.formWord,
  };
  const view = Object.hasOwn(VIEWS, slug) ? await VIEWS[slug]?.(model) : undefined;
  const around = { slug, notice: notices.get(query.get('note')), seed: world.seed };
  if (view !== undefined) return renderLayout(200, model, view, around);
  const body = html`<h1>Not found</h1><p>This page does not exist. <a href="${PAGE_PATH}">Go to the overview</a></p>`;
  return renderLayout(404, model, { title: 'Not found', body }, around);
};

export const createBoard = (options: BoardOptions) => {
  const gate = createPageAccess(options.secret);
  const notices = createNotices();
  return async (request: SandboxRequest): Promise<SandboxResponse> => {
    const { method, path } = request;
    if (gate.isForeign(request)) return refused(403, 'Other sites may not use this page.');
    const acting = path.startsWith(`${PAGE_PATH}do/`);
    if (acting && method === 'POST') return act(options, gate, notices, request);
    if (acting || method !== 'GET') return refused(405, `This address does not accept ${method}.`);
    const entered = gate.enter(request);
    if (entered === undefined) return show(options, gate, notices, request);
    const stale = { tone: 'bad', text: 'The key in the address belongs to another sandbox.' } as const;
    return entered.cookie === undefined
      ? redirect(`${PAGE_PATH}?note=${notices.add(stale)}`)
      : redirect(PAGE_PATH, entered.cookie);
  };
};
