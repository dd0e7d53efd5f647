import type { Api } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import { createRunSummary } from '../../changes/run-summary.ts';
import type { TemporaryResource } from '../../changes/temporary-resource.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../../outcome.ts';
import { isLoopback } from '../../parsing/address.ts';
import { MAX_TOKEN_BYTES } from '../../parsing/input-limits.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import type { ListenerOptions, Receiver } from '../../webhooks/service.ts';
import { createEventNotes } from './body.ts';
import { createLiveColumns, formatDeliveryBody } from './delivery-columns.ts';
import { countForwarded, createForwardingFailure } from './forwarded.ts';
import { parseWebAddress, readListenerFlags } from './receiving.ts';

/** The course of `webhooks listen`. */

type Options = Readonly<Record<string, unknown>>;

/** @throws UsageError for flags that do not go together */
const checkTogether = (options: Options, token: string | undefined): void => {
  const given = [
    ...(options.webhook === undefined ? [] : ['--webhook']),
    ...(options.create === true ? ['--create'] : []),
    ...(options.tokenStdin === true ? ['--token-stdin'] : []),
  ];
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be used together`);
  if (options.requireSignature === true && given.length === 0 && token === undefined) {
    throw new UsageError('--require-signature needs a token', {
      hint: 'Add --webhook <id>, --create or --token-stdin, or set TTCTL_WEBHOOK_TOKEN.',
    });
  }
};

/** @throws UsageError where the service could not reach this machine */
const publicUrl = ({ settings }: Context, given: unknown): string | undefined => {
  const url = parseWebAddress('--url', given);
  const service = settings.baseUrl?.value;
  if (url !== undefined || settings.embedded || service === undefined) return url;
  if (isLoopback(new URL(service).hostname)) return undefined;
  throw new UsageError('the service cannot reach a listener on this machine', {
    code: 'not_reachable',
    hint: 'Pass its public address (of a tunnel or proxy) with --url.',
  });
};

const tokenIn = (record: Row | null): string | undefined =>
  typeof record?.['token'] === 'string' ? record['token'] : undefined;

/** The service's own record. @throws Failure where it hides the token */
const tokenFrom = async (api: Api, webhookId: string): Promise<string> => {
  const { data } = await api.webhooks.get({ webhookId }).send();
  const token = tokenIn(data as Row | null);
  if (token !== undefined) return token;
  const facts = { code: 'no_token', exit: EXIT.tryLater } as const;
  throw new Failure(`the service did not return the token of webhook ${webhookId}`, facts);
};

const knownToken = async (context: Context, options: Options, fallback: string | undefined) => {
  if (typeof options.webhook === 'string') return tokenFrom(context.api, options.webhook);
  if (options.tokenStdin !== true) return fallback;
  const token = (await context.stdin(MAX_TOKEN_BYTES)).trim();
  if (token === '') throw new UsageError('--token-stdin: stdin is empty');
  return token;
};

/** Those of the service that point here. */
const pointingAt = async (api: Api, url: string): Promise<readonly Row[]> => {
  const found: Row[] = [];
  for await (const { rows } of api.webhooks.list({}).pages())
    found.push(...rows.filter((webhook) => webhook.url === url));
  return found;
};

/** Whoever is killed deletes nothing: each delivery then comes once more for each that was left. */
const tellLeft = ({ output, commandLine }: Context, url: string, left: readonly Row[]): void => {
  for (const { id } of left)
    output.warn(
      `webhook ${id} already points to ${url}. It may be left over from another listener. Delete it with: ${commandLine`ttctl webhooks delete ${id}`}`,
    );
};

/** @param before what pointed there already */
const webhookFor = (
  { commandLine }: Context,
  url: string,
  events: readonly string[],
  before: readonly Row[],
): TemporaryResource => ({
  target: url,
  noun: 'webhook',
  byHand: (id) => commandLine`ttctl webhooks delete ${id}`,
  create: (api) => api.webhooks.create({ url, events: [...events] }),
  remove: (api, webhookId) => api.webhooks.delete({ webhookId }),
  find: async (api) =>
    (await pointingAt(api, url)).find(
      ({ id }) => !before.some((webhook) => toText(webhook.id) === toText(id)),
    ),
});

interface Listened {
  readonly rows: AsyncIterable<Row>;
  readonly receiver: Receiver;
  readonly wish: ListenerOptions;
  readonly options: Options;
}

/** Until Ctrl-C, or until so many have come. @throws Failure where one of those was not handed on */
const follow = async (context: Context, { rows, receiver, wish, options }: Listened): Promise<void> => {
  const { output, settings, window } = context;
  const below = options.showBody === true || settings.debug.value ? { below: formatDeliveryBody } : {};
  const view = { noun: 'deliveries', columns: createLiveColumns(wish), ...below };
  // Without an end nothing is added up.
  if (window.limit === undefined) return output.follow(rows, view);
  const summary = createRunSummary(context.clock.now());
  await output.follow(countForwarded(rows, window.limit, receiver.getFailure, summary), view);
  createForwardingFailure(context, summary);
};

/** Makes a webhook for this listener, listens, and deletes it. */
const listenWithOwn = async (
  context: Context,
  receiver: Receiver,
  wish: ListenerOptions,
  options: Options,
) => {
  const { withTemporaryResource } = await import('../../changes/temporary-resource.ts');
  const events = wish.events.length > 0 ? wish.events : WEBHOOK_EVENTS;
  const url = publicUrl(context, options.url) ?? receiver.url;
  const before = await pointingAt(context.api, url);
  tellLeft(context, url, before);
  const planned = await withTemporaryResource(
    context,
    webhookFor(context, url, events, before),
    async (record) => {
      const id = toText(record['id']);
      const token = tokenIn(record) ?? (await tokenFrom(context.api, id));
      context.output.note(`Created webhook ${id} for ${url}. It will be deleted at the end.`);
      const rows = receiver.deliveries(token, { webhook: id });
      await follow(context, { rows, receiver, wish, options });
    },
  );
  if (planned !== undefined) await context.output.result(planned);
};

/** Ctrl-C is how a listener is ended: it is no failure, and told by the exit code. */
const leave = ({ interrupted, exit }: Context): void => {
  if (!interrupted.aborted) return;
  const { reason } = interrupted;
  exit(reason instanceof Cancelled ? reason.exit : EXIT.interrupted);
};

/** @throws UsageError, Failure (exit 1) where port or folder cannot be had, and what the service refuses */
export const runListener = async (context: Context, options: Options): Promise<void> => {
  const wish = readListenerFlags(options);
  const service = await context.webhooks();
  createEventNotes(context)(wish.events);
  checkTogether(options, service.token);
  if (options.create === true) publicUrl(context, options.url);
  const token = await knownToken(context, options, service.token);
  await service.receive(wish, async (receiver) => {
    if (options.create === true) return listenWithOwn(context, receiver, wish, options);
    if (!context.settings.dryRun.value)
      return follow(context, { rows: receiver.deliveries(token, {}), receiver, wish, options });
    const operation = 'webhooks.listen';
    const message = 'would listen here';
    await context.output.result({ target: receiver.url, status: 'planned', operation, message });
  });
  leave(context);
};
