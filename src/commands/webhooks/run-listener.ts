import type { Api } from '../../api/client.ts';
import { collectRows, type Row } from '../../api/page.ts';
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

/** Runs `webhooks listen`. */

type Options = Readonly<Record<string, unknown>>;

/** @throws UsageError for flags that do not go together */
const checkExclusive = (options: Options, token: string | undefined): void => {
  const tokenFlags = [
    ...(options.webhook === undefined ? [] : ['--webhook']),
    ...(options.create === true ? ['--create'] : []),
    ...(options.tokenStdin === true ? ['--token-stdin'] : []),
  ];
  if (tokenFlags.length > 1) throw new UsageError(`${tokenFlags.join(' and ')} cannot be used together`);
  if (options.requireSignature === true && tokenFlags.length === 0 && token === undefined) {
    throw new UsageError('--require-signature needs a token', {
      hint: 'Add --webhook <id>, --create or --token-stdin, or set TTCTL_WEBHOOK_TOKEN.',
    });
  }
};

/** @throws UsageError where the service could not reach this machine */
const resolvePublicUrl = ({ settings }: Context, value: unknown): string | undefined => {
  const url = parseWebAddress('--url', value);
  const baseUrl = settings.baseUrl?.value;
  if (url !== undefined || settings.embedded || baseUrl === undefined) return url;
  if (isLoopback(new URL(baseUrl).hostname)) return undefined;
  throw new UsageError('the service cannot reach a listener on this machine', {
    code: 'not_reachable',
    hint: 'Pass its public address (of a tunnel or proxy) with --url.',
  });
};

const getToken = (record: Row | null): string | undefined =>
  typeof record?.['token'] === 'string' ? record['token'] : undefined;

/** The service's own record. @throws Failure where it hides the token */
const fetchToken = async (api: Api, webhookId: string): Promise<string> => {
  const { data } = await api.webhooks.get({ webhookId }).send();
  const token = getToken(data as Row | null);
  if (token !== undefined) return token;
  const details = { code: 'no_token', exit: EXIT.tryLater } as const;
  throw new Failure(`the service did not return the token of webhook ${webhookId}`, details);
};

const resolveToken = async (context: Context, options: Options, fallback: string | undefined) => {
  if (typeof options.webhook === 'string') return fetchToken(context.api, options.webhook);
  if (options.tokenStdin !== true) return fallback;
  const token = (await context.stdin(MAX_TOKEN_BYTES)).trim();
  if (token === '') throw new UsageError('--token-stdin: stdin is empty');
  return token;
};

/** Webhooks at the service that send to this address. */
const listWebhooksAt = (api: Api, url: string): Promise<readonly Row[]> =>
  collectRows(api.webhooks.list({}).pages(), (webhook) => webhook.url === url);

/** A killed listener leaves its webhook behind, and each delivery then arrives once more for each of those. */
const warnLeftovers = ({ output, commandLine }: Context, url: string, leftovers: readonly Row[]): void => {
  for (const { id } of leftovers)
    output.warn(
      `webhook ${id} already points to ${url}. It may be left over from another listener. Delete it with: ${commandLine`ttctl webhooks delete ${id}`}`,
    );
};

/** @param existing what pointed there already */
const buildTemporaryWebhook = (
  { commandLine }: Context,
  url: string,
  events: readonly string[],
  existing: readonly Row[],
): TemporaryResource => ({
  target: url,
  noun: 'webhook',
  byHand: (id) => commandLine`ttctl webhooks delete ${id}`,
  create: (api) => api.webhooks.create({ url, events: [...events] }),
  remove: (api, webhookId) => api.webhooks.delete({ webhookId }),
  find: async (api) =>
    (await listWebhooksAt(api, url)).find(
      ({ id }) => !existing.some((webhook) => toText(webhook.id) === toText(id)),
    ),
});

interface DeliveryStream {
  readonly rows: AsyncIterable<Row>;
  readonly receiver: Receiver;
  readonly listenerOptions: ListenerOptions;
  readonly options: Options;
}

/** Until Ctrl-C, or until so many have come. @throws Failure where one of those was not handed on */
const printDeliveries = async (
  context: Context,
  { rows, receiver, listenerOptions, options }: DeliveryStream,
): Promise<void> => {
  const { output, settings, window } = context;
  const below = options.showBody === true || settings.debug.value ? { below: formatDeliveryBody } : {};
  const view = { noun: 'deliveries', columns: createLiveColumns(listenerOptions), ...below };
  // Without a limit there is no summary.
  if (window.limit === undefined) return output.follow(rows, view);
  const summary = createRunSummary(context.clock.now());
  await output.follow(countForwarded(rows, window.limit, receiver.getFailure, summary), view);
  createForwardingFailure(context, summary);
};

/** Creates a webhook for this listener, listens, and deletes it. */
const listenWithOwnWebhook = async (
  context: Context,
  receiver: Receiver,
  listenerOptions: ListenerOptions,
  options: Options,
) => {
  const { withTemporaryResource } = await import('../../changes/temporary-resource.ts');
  const events = listenerOptions.events.length > 0 ? listenerOptions.events : WEBHOOK_EVENTS;
  const url = resolvePublicUrl(context, options.url) ?? receiver.url;
  const existing = await listWebhooksAt(context.api, url);
  warnLeftovers(context, url, existing);
  const planned = await withTemporaryResource(
    context,
    buildTemporaryWebhook(context, url, events, existing),
    async (record) => {
      const id = toText(record['id']);
      const token = getToken(record) ?? (await fetchToken(context.api, id));
      context.output.note(`Created webhook ${id} for ${url}. It will be deleted at the end.`);
      const rows = receiver.deliveries(token, { webhook: id });
      await printDeliveries(context, { rows, receiver, listenerOptions, options });
    },
  );
  if (planned !== undefined) await context.output.result(planned);
};

/** Ctrl-C ends a listener: it is no failure, but sets the exit code. */
const exitOnInterrupt = ({ interrupted, exit }: Context): void => {
  if (!interrupted.aborted) return;
  const { reason } = interrupted;
  exit(reason instanceof Cancelled ? reason.exit : EXIT.interrupted);
};

/** @throws UsageError, Failure (exit 1) where port or folder cannot be had, and what the service refuses */
export const runListener = async (context: Context, options: Options): Promise<void> => {
  const listenerOptions = readListenerFlags(options);
  const service = await context.webhooks();
  createEventNotes(context)(listenerOptions.events);
  checkExclusive(options, service.token);
  if (options.create === true) resolvePublicUrl(context, options.url);
  const token = await resolveToken(context, options, service.token);
  await service.receive(listenerOptions, async (receiver) => {
    if (options.create === true) return listenWithOwnWebhook(context, receiver, listenerOptions, options);
    if (!context.settings.dryRun.value)
      return printDeliveries(context, {
        rows: receiver.deliveries(token, {}),
        receiver,
        listenerOptions,
        options,
      });
    const operation = 'webhooks.listen';
    const message = 'would listen here';
    await context.output.result({ target: receiver.url, status: 'planned', operation, message });
  });
  exitOnInterrupt(context);
};
