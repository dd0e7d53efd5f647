import { type Row, toPages } from '../../api/page.ts';
import { WEBHOOK_EVENTS, webhook } from '../../api/records.ts';
import type { RunWords, SendResult } from '../../changes/change.ts';
import {
  createRunFailure,
  createRunSummary,
  failAfter,
  pluralize,
  reportRun,
  toResult,
} from '../../changes/report.ts';
import { findLocalId, readTargets } from '../../changes/select.ts';
import { checkWritable, ODD_VALUES, writeAlone } from '../../changes/write.ts';
import { Cancelled, EXIT, Failure, toFailureJson, UsageError } from '../../errors.ts';
import { stringifyJson, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { parseDuration, toUtcDay } from '../../parsing/calendar.ts';
import { createCommandTemplate, placeholder } from '../../parsing/shell-word.ts';
import { isLoopback, isWebAddress } from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import { DeliveryStore, toWholeRow } from '../../webhooks/delivery.ts';
import {
  describeOutcome,
  type ForwardingOptions,
  type ForwardingOutcome,
  forwardDelivery,
} from '../../webhooks/forward.ts';
import { Receiver } from '../../webhooks/receiver.ts';
import { changeLocally } from '../local-change.ts';
import { parsePort } from '../values.ts';

interface DeliveryOptions {
  readonly forward?: string;
  readonly exec?: string;
  readonly passEnv?: readonly string[];
  readonly store?: string;
  readonly state?: string;
  readonly url?: string;
  readonly webhook?: string;
  readonly create?: boolean;
  readonly answerAfterHandler?: boolean;
  readonly requireSignature?: boolean;
  readonly showSecrets?: boolean;
  readonly failed?: boolean;
}

interface ListenOptions extends DeliveryOptions {
  readonly host: string;
  readonly port: string;
  readonly event?: readonly string[];
}

const NOUN = ['delivery', 'deliveries'] as const;

/** `webhooks listen`. @throws UsageError, Failure (exit 1) where port or folder cannot be had, and what the service refuses */
export async function listen(run: Run, options: ListenOptions): Promise<void> {
  const { machine, output, settings, interrupted } = run;
  const { host, store, create = false, webhook: webhookId } = options;
  const { requireSignature = false, answerAfterHandler = false } = options;
  const to = readForwardingFlags(run, options);
  const isForwarded = to.forward !== undefined || to.exec !== undefined;
  const events = (options.event ?? []).flatMap((text) => text.split(',')).filter(Boolean);
  checkListenOptions(options, isForwarded, machine.env.TTCTL_WEBHOOK_TOKEN);
  if (create) checkWritable(run);
  for (const text of ODD_VALUES.events?.(events) ?? []) output.warn(text);
  const publicUrl = readWebAddress('--url', options.url);
  const baseUrl = settings.embedded ? undefined : settings.baseUrl?.value;
  const isHere = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname);
  if (create && publicUrl === undefined && !isHere)
    throw new UsageError('the service cannot reach a listener on this machine', {
      code: 'not_reachable',
      hint: 'Pass its public address (of a tunnel or proxy) with --url.',
    });
  const port = parsePort('--port', options.port);
  const known = machine.env.TTCTL_WEBHOOK_TOKEN || undefined;
  const token = webhookId === undefined ? known : await fetchToken(run, webhookId);
  const flags = { ...{ host, port, store, events }, requireSignature, answerAfterHandler };
  const receiver = new Receiver(run, { ...to, ...flags, refuseUnsigned: create });
  const print = () => printDeliveries(run, receiver, isForwarded);
  await receiver.during(async () => {
    const { url } = receiver;
    if (create) return listenWithOwnWebhook(run, receiver, publicUrl ?? url, events, print);
    if (settings.dryRun.value) {
      const planned = { status: 'planned', operation: 'webhooks.listen' } as const;
      return output.result({ target: url, ...planned, message: 'would listen here' });
    }
    receiver.begin(token);
    return print();
  });
  // Ctrl-C ends a listener: it is no failure, but sets the exit code.
  const { reason } = interrupted;
  if (interrupted.aborted) run.exit(reason instanceof Cancelled ? reason.exit : EXIT.interrupted);
}

function checkListenOptions(
  { url, create = false, webhook: id, requireSignature, answerAfterHandler }: ListenOptions,
  isForwarded: boolean,
  token: string | undefined,
): void {
  if (answerAfterHandler === true && !isForwarded)
    throw new UsageError('--answer-after-handler needs --forward or --exec');
  if (url !== undefined && !create) throw new UsageError('--url needs --create');
  if (create && id !== undefined) throw new UsageError('--webhook and --create cannot be used together');
  if (requireSignature === true && !create && id === undefined && !token)
    throw new UsageError('--require-signature needs a token', {
      hint: 'Add --webhook <id> or --create, or set TTCTL_WEBHOOK_TOKEN.',
    });
}

/** The service's own record. @throws Failure where it hides the token */
async function fetchToken({ api }: Run, webhookId: string): Promise<string> {
  const { data } = await api.webhooks.get({ webhookId }).send();
  const token = (data as Row | null)?.['token'];
  if (typeof token === 'string') return token;
  const details = { code: 'no_token', exit: EXIT.tryLater } as const;
  throw new Failure(`the service did not return the token of webhook ${webhookId}`, details);
}

/** Creates a webhook for this listener, listens, and deletes it. @param url where the service reaches it */
async function listenWithOwnWebhook(
  run: Run,
  receiver: Receiver,
  url: string,
  events: readonly string[],
  print: () => Promise<void>,
): Promise<void> {
  const { output, commandLine, api } = run;
  const words = (verb: RunWords['verb']): RunWords => ({ verb, noun: webhook.words });
  const creation = api.webhooks.create({ url, events: [...(events.length > 0 ? events : WEBHOOK_EVENTS)] });
  const made = await writeAlone(run, words(['create', 'created']), creation, url);
  if (made.status === 'planned') return output.result(toResult(made));
  const { failure: refusal } = made;
  const record = (made.data ?? {}) as Row;
  const { token, id: given } = record;
  if (given === undefined) {
    if (made.status === 'unknown' && refusal !== undefined)
      return failAfter(run, output.result(toResult(made)), refusal);
    if (refusal !== undefined) throw refusal;
    throw new Failure('the service did not return the id of the webhook it created', {
      code: 'no_record',
      exit: EXIT.tryLater,
      hint: `Check whether it exists, and remove it with: ${commandLine`ttctl webhooks delete ${placeholder('id')}`}`,
    });
  }
  // Not all of it is as it was asked for.
  if (refusal !== undefined) output.warn(refusal.tell('. '));
  const id = toText(given);
  const work = async (): Promise<void> => {
    const secret = typeof token === 'string' ? token : await fetchToken(run, id);
    output.note(`Created webhook ${id} for ${url}. It will be deleted at the end.`);
    receiver.begin(secret, { webhook: id });
    await print();
  };
  // It is removed after Ctrl-C and after a failure too.
  const [outcome] = await Promise.allSettled([work()]);
  const removal = run.afterwards().webhooks.delete({ webhookId: id });
  const { failure } = await writeAlone(run, words(['delete', 'deleted']), removal, id, record);
  // What is left at the service matters more than why the work ended.
  if (failure !== undefined)
    throw new Failure(`the webhook ${id} still exists: ${failure.message}`, {
      code: 'left_behind',
      exit: failure.exit,
      reason: failure.reason,
      hint: `Remove it with: ${commandLine`ttctl webhooks delete ${id}`}`,
      cause: failure,
    });
  if (outcome.status === 'rejected') throw outcome.reason;
}

/** Until Ctrl-C, or until `--limit` have come. @throws Failure where one of those was not accepted */
async function printDeliveries(run: Run, receiver: Receiver, isForwarded: boolean): Promise<void> {
  const { limit } = run.window;
  /** The last row of each. */
  const ends = new Map<unknown, Row>();
  async function* take(): AsyncGenerator<Row> {
    let count = 0;
    for await (const row of receiver.rows as AsyncIterable<Row>) {
      // Further attempts are beside those that are counted.
      if (Number(row['attempts']) <= 1) count += 1;
      if (limit !== undefined) ends.set(row['key'], row);
      yield row;
      if (limit !== undefined && count >= limit) break;
    }
  }
  try {
    await run.output.follow(take(), { noun: 'deliveries', columns: createLiveColumns(isForwarded) });
  } finally {
    await receiver.close();
  }
  // Ctrl-C ends a listener.
  if (run.interrupted.aborted) return;
  const summary = createRunSummary(run.clock.now());
  for (const row of ends.values()) {
    const { failure } = describeOutcome(row as ForwardingOutcome);
    if (failure === undefined) summary.done.push(toText(row['id']));
    else summary.failures.push(failure);
  }
  const job = { hint: 'The next listener that forwards tries them again; webhooks replay does it now.' };
  const words = { verb: ['forward', 'forwarded'], noun: NOUN } as const;
  const failure = createRunFailure(run, { summary, count: ends.size, words, job });
  if (failure !== undefined) throw failure;
}

function readWebAddress(where: string, url: string | undefined): string | undefined {
  if (url === undefined || isWebAddress(url)) return url;
  throw new UsageError(`${where}: "${url}" is not a web address`);
}

/** @throws UsageError for what is no web address, and for variables of no command or that are not set */
function readForwardingFlags({ machine }: Run, options: DeliveryOptions): ForwardingOptions {
  const { exec, passEnv = [] } = options;
  const forward = readWebAddress('--forward', options.forward);
  if (passEnv.length > 0 && exec === undefined) throw new UsageError('--pass-env needs --exec');
  const missing = passEnv.filter((name) => machine.env[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`--pass-env: there is no variable ${missing.join(', ')}`, {
      hint: 'Pass the name of a variable that is set, without its value: --pass-env DATABASE_URL',
    });
  return { forward, exec, passEnv };
}

export async function pruneReceived(run: Run, olderThan: string, options: DeliveryOptions): Promise<void> {
  const { state, store: folder } = options;
  const { clock, output } = run;
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const store = new DeliveryStore(run, folder);
  const old = store.list().filter((row) => String(row['received_at']) < before);
  const removed = old.filter((row) => (state === undefined ? row.state !== 'pending' : row.state === state));
  const left = old.length - removed.length;
  if (left > 0 && state === undefined)
    output.note(`${pluralize(left, NOUN)} ${left === 1 ? 'is' : 'are'} still pending and not removed.`);
  const flags = folder === undefined ? [] : ['--store', folder];
  await changeLocally(run, {
    question: removed.length > 0 && `remove ${pluralize(removed.length, NOUN)} received before ${before}`,
    facts: ['They can no longer be shown or forwarded.'],
    change: () => {
      for (const { key } of removed) store.remove(String(key));
    },
    record: { before, deliveries: removed.length },
    text: `${pluralize(removed.length, NOUN)} removed`,
    inspectLine: createCommandTemplate(flags)`ttctl webhooks received`,
  });
}

export async function showReceived(
  run: Run,
  text: string | undefined,
  { event, state, store: folder, showSecrets = false }: DeliveryOptions & { readonly event?: string },
): Promise<void> {
  const { output, window, machine } = run;
  const { json } = machine.redactor;
  const store = new DeliveryStore(run, folder);
  if (text !== undefined) {
    const filter = event !== undefined ? '--event' : state !== undefined ? '--state' : undefined;
    if (filter !== undefined) throw new UsageError(`${filter} cannot be used with a named delivery`);
    const [key = ''] = store.findKeys([await findLocalId(run, text, () => store.list())]);
    const mask = showSecrets ? (value: unknown) => value : json;
    return output.record(toWholeRow(store.get(key), mask, showSecrets), detailColumns);
  }
  const isMeant = (row: Row) =>
    row['event'] === (event ?? row['event']) && row.state === (state ?? row.state);
  const rows = store.list().filter(isMeant);
  await output.list(toPages(rows, window.limit), { noun: 'deliveries', columns: listColumns });
}

/** `webhooks replay`. @throws UsageError without a destination */
export async function replay(run: Run, ids: readonly string[], options: DeliveryOptions): Promise<void> {
  const to = readForwardingFlags(run, options);
  if (to.forward === undefined && to.exec === undefined)
    throw new UsageError('no destination to replay to', { hint: 'Add --forward <url> or --exec <command>.' });
  if (options.failed === true && ids.length > 0)
    throw new UsageError('--failed cannot be used with named deliveries');
  await run.output.checkNames();
  const store = new DeliveryStore(run, options.store);
  const left = options.failed === true ? store.listLeft() : undefined;
  const targets =
    left?.map(({ key }) => String(key)) ?? (await readTargets(run, ids, 'delivery')).map(({ text }) => text);
  const find = (target: string) => findLocalId(run, target, () => store.list());
  const keys = left === undefined ? store.findKeys(await Promise.all(targets.map(find))) : targets;
  if (targets.length === 0) run.output.note('No deliveries to replay.');
  const words = { verb: ['replay', 'replayed'], noun: NOUN, changes: [] } as const;
  // One after the other. One that cannot be read does not stop the others.
  async function* replayAll(): AsyncGenerator<SendResult> {
    for (const [i, target] of targets.entries()) yield replayOne(run, store, target, keys[i] ?? '', to);
  }
  await reportRun(run, words, replayAll(), { count: targets.length });
}

async function replayOne(
  run: Run,
  store: DeliveryStore,
  target: string,
  key: string,
  to: ForwardingOptions,
): Promise<SendResult> {
  const base = { target, operation: 'webhooks.replay' };
  if (run.interrupted.aborted) return { ...base, status: 'skipped', message: 'interrupted' };
  if (run.settings.dryRun.value)
    return { ...base, status: 'planned', message: [to.forward, to.exec].filter(Boolean).join(', then ') };
  try {
    const delivery = store.get(key);
    const outcome = await forwardDelivery(run, delivery, to, { repeat: false, replay: true });
    const { words, failure } = describeOutcome(outcome);
    if (failure !== undefined) throw failure;
    if (delivery.state !== null) store.mark(key, 'accepted');
    return { ...base, status: 'done', message: words };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const error = toFailureJson(failure);
    return { ...base, status: 'failed', message: failure.message, error, failure };
  }
}

function createLiveColumns(isForwarded: boolean): readonly Column[] {
  const forwarding: readonly Column[] = [
    { field: 'forward', title: 'handled', width: 18, drop: 1, show: (row) => describeOutcome(row).words },
    { field: 'state', kind: 'state', width: 8 },
  ];
  return [
    { field: 'received_at', title: 'time', kind: 'clock', width: 8 },
    { field: 'event', width: 16 },
    { field: 'size', title: 'bytes', kind: 'number', width: 7, drop: 3 },
    { field: 'signature', kind: 'state', width: 9, drop: 2 },
    ...(isForwarded ? forwarding : []),
    {
      field: 'summary',
      title: 'data',
      least: 12,
      show: ({ repeat, attempts, summary }) =>
        `${Number(attempts) > 1 ? `attempt ${attempts}: ` : repeat === true ? 'repeat: ' : ''}${summary}`,
    },
  ];
}

const listColumns: readonly Column[] = [
  { field: 'received_at', title: 'received', kind: 'age' },
  { field: 'event' },
  { field: 'size', title: 'bytes', kind: 'number', drop: 3 },
  { field: 'signature', kind: 'state', drop: 1 },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'path', drop: 4 },
  { field: 'summary', title: 'data', drop: 2 },
  { field: 'id', short: true },
];

const detailColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'event' },
  { field: 'received_at', title: 'received', kind: 'time' },
  { field: 'signature', kind: 'state' },
  { field: 'signature_detail', title: 'because', sparse: true },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'size', title: 'bytes' },
  { field: 'method' },
  { field: 'path' },
  { field: 'key' },
  {
    field: 'headers',
    kind: 'text',
    show: ({ headers }) =>
      Object.entries(headers as Row)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
  },
  {
    field: 'payload',
    title: 'body',
    kind: 'text',
    show: ({ payload, text }) => (payload != null ? stringifyJson(payload, 2) : toText(text)),
  },
];
