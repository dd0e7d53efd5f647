import type { Api } from '../../api/client.ts';
import { collectRows, type Row } from '../../api/page.ts';
import { WEBHOOK_EVENTS, webhook } from '../../api/records.ts';
import type { RunWords, SendResult } from '../../changes/change.ts';
import { readText } from '../../changes/input/files.ts';
import {
  createRunFailure,
  createRunSummary,
  failAfter,
  pluralize,
  type RunSummary,
} from '../../changes/report.ts';
import { writeAlone } from '../../changes/write.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { isLoopback, MAX_TOKEN_BYTES } from '../../parsing/text.ts';
import { describeUnknownEvents } from '../../resources/webhooks.ts';
import type { Run } from '../../run.ts';
import { describeOutcome, type ForwardingOptions, type ForwardingOutcome } from '../../webhooks/forward.ts';
import {
  createReplayTemplate,
  type ListenerOptions,
  type Receiver,
  withReceiver,
} from '../../webhooks/receiver.ts';
import { parsePort } from '../values.ts';
import { createLiveColumns, formatBody } from './deliveries.ts';

/** Runs `webhooks listen`. */

type Options = Readonly<Record<string, unknown>>;

/** @throws UsageError, Failure (exit 1) where port or folder cannot be had, and what the service refuses */
export async function runListener(run: Run, options: Options): Promise<void> {
  const { machine, output, settings, interrupted } = run;
  const listener = readListenerFlags(run, options);
  const unknown = describeUnknownEvents(listener);
  if (unknown !== undefined) output.note(unknown);
  const fromEnvironment = machine.env.TTCTL_WEBHOOK_TOKEN || undefined;
  checkTokenFlags(options, fromEnvironment);
  if (options.create === true) resolvePublicUrl(run, options.url);
  const token = await resolveToken(run, options, fromEnvironment);
  await withReceiver(run, listener, async (receiver) => {
    if (options.create === true) return listenWithOwnWebhook(run, receiver, options);
    if (!settings.dryRun.value) {
      receiver.begin(token);
      return printDeliveries(run, receiver, options);
    }
    const planned = {
      status: 'planned',
      operation: 'webhooks.listen',
      message: 'would listen here',
    } as const;
    await output.result({ target: receiver.url, ...planned });
  });
  // Ctrl-C ends a listener: it is no failure, but sets the exit code.
  const { reason } = interrupted;
  if (interrupted.aborted) run.exit(reason instanceof Cancelled ? reason.exit : EXIT.interrupted);
}

/** @throws UsageError */
function readListenerFlags(run: Run, options: Options): ListenerOptions {
  const { forward, exec, forwardStatus, answerAfterHandler, create } = options;
  const [path, store] = [readTextFlag(options.path), readTextFlag(options.store)];
  if (path?.startsWith('/') === false) throw new UsageError(`--path: "${path}" does not begin with /`);
  if (forwardStatus === true && forward === undefined)
    throw new UsageError('--forward-status needs --forward');
  if (answerAfterHandler === true && forward === undefined && exec === undefined)
    throw new UsageError('--answer-after-handler needs --forward or --exec');
  if (answerAfterHandler === true && forwardStatus === true)
    throw new UsageError('--forward-status and --answer-after-handler cannot be used together');
  if (options.url !== undefined && create !== true) throw new UsageError('--url needs --create');
  const events = Array.isArray(options.event) ? options.event.map(String) : [];
  return {
    ...readForwardingFlags(run, options),
    host: String(options.host),
    port: parsePort('--port', String(options.port)),
    path,
    store,
    events: events.flatMap((text) => text.split(',')).filter(Boolean),
    forwardStatus: forwardStatus === true,
    answerAfterHandler: answerAfterHandler === true,
    requireSignature: options.requireSignature === true,
    refuseUnsigned: create === true,
  };
}

/** @throws UsageError for flags that do not go together */
function checkTokenFlags(options: Options, token: string | undefined): void {
  const given = [
    ...(options.webhook === undefined ? [] : ['--webhook']),
    ...(options.create === true ? ['--create'] : []),
    ...(options.tokenStdin === true ? ['--token-stdin'] : []),
  ];
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be used together`);
  if (options.requireSignature === true && given.length === 0 && token === undefined)
    throw new UsageError('--require-signature needs a token', {
      hint: 'Add --webhook <id>, --create or --token-stdin, or set TTCTL_WEBHOOK_TOKEN.',
    });
}

async function resolveToken(run: Run, options: Options, fallback: string | undefined) {
  if (typeof options.webhook === 'string') return fetchToken(run.api, options.webhook);
  if (options.tokenStdin !== true) return fallback;
  const token = (await readText(run.machine, '-', { maxBytes: MAX_TOKEN_BYTES })).trim();
  if (token === '') throw new UsageError('--token-stdin: stdin is empty');
  return token;
}

/** The service's own record. @throws Failure where it hides the token */
async function fetchToken(api: Api, webhookId: string): Promise<string> {
  const { data } = await api.webhooks.get({ webhookId }).send();
  const token = (data as Row | null)?.['token'];
  if (typeof token === 'string') return token;
  const details = { code: 'no_token', exit: EXIT.tryLater } as const;
  throw new Failure(`the service did not return the token of webhook ${webhookId}`, details);
}

/** @throws UsageError where the service could not reach this machine */
function resolvePublicUrl({ settings }: Run, value: unknown): string | undefined {
  const url = readWebAddress('--url', value);
  const baseUrl = settings.baseUrl?.value;
  if (url !== undefined || settings.embedded || baseUrl === undefined) return url;
  if (isLoopback(new URL(baseUrl).hostname)) return undefined;
  throw new UsageError('the service cannot reach a listener on this machine', {
    code: 'not_reachable',
    hint: 'Pass its public address (of a tunnel or proxy) with --url.',
  });
}

/** Creates a webhook for this listener, listens, and deletes it. */
async function listenWithOwnWebhook(run: Run, receiver: Receiver, options: Options): Promise<void> {
  const { output, commandLine } = run;
  const url = resolvePublicUrl(run, options.url) ?? receiver.url;
  const listHere = (api: Api): Promise<readonly Row[]> =>
    collectRows(api.webhooks.list({}).pages(), (webhook) => webhook.url === url);
  const existing = await listHere(run.api);
  // A killed listener leaves its webhook behind, and each delivery then arrives once more for each of those.
  for (const { id } of existing)
    output.warn(
      `webhook ${id} already points to ${url}. It may be left over from another listener. Delete it with: ${commandLine`ttctl webhooks delete ${id}`}`,
    );
  const events = [...(receiver.listener.events.length > 0 ? receiver.listener.events : WEBHOOK_EVENTS)];
  const words = (verb: RunWords['verb']): RunWords => ({ verb, noun: webhook.words });
  const created = run.api.webhooks.create({ url, events });
  const made = await writeAlone(run, words(['create', 'created']), created, url);
  if (made.result.status === 'planned') return output.result(made.result);
  const find = async () =>
    (await listHere(run.afterwards())).find(
      ({ id }) => !existing.some((other) => toText(other.id) === toText(id)),
    );
  const record = await requireWebhook(run, made, find);
  const id = toText(record['id']);
  const listen = async (): Promise<void> => {
    const secret = readTextFlag(record['token']) ?? (await fetchToken(run.api, id));
    output.note(`Created webhook ${id} for ${url}. It will be deleted at the end.`);
    receiver.begin(secret, { webhook: id });
    await printDeliveries(run, receiver, options);
  };
  // It is removed after Ctrl-C and after a failure too.
  const [outcome] = await Promise.allSettled([listen()]);
  const removal = run.afterwards().webhooks.delete({ webhookId: id });
  const { failure } = await writeAlone(run, words(['delete', 'deleted']), removal, id, true);
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

/** The webhook that was made: it is there now, whatever the answer said. @throws Failure where it could not be made */
async function requireWebhook(
  run: Run,
  { result, failure }: SendResult,
  find: () => Promise<Row | undefined>,
): Promise<Row> {
  const { output, commandLine } = run;
  const answered = result.data as Row | null | undefined;
  if (answered?.['id'] !== undefined) {
    // Not all of it is as it was asked for.
    if (failure !== undefined) output.warn([failure.message, failure.reason].filter(Boolean).join('. '));
    return answered;
  }
  if (failure !== undefined && result.status !== 'unknown') throw failure;
  if (failure !== undefined) return failAfter(run, result, failure);
  const record = answered ?? (await find());
  if (record?.['id'] !== undefined) return record;
  throw new Failure('the service did not return the id of the webhook it created', {
    code: 'no_record',
    exit: EXIT.tryLater,
    hint: `Check whether it exists, and remove it with: ${commandLine`ttctl webhooks delete ${placeholder('id')}`}`,
  });
}

const WORDS = { verb: ['forward', 'forwarded'], noun: ['delivery', 'deliveries'] } as const;

/** Until Ctrl-C, or until `--limit` have come. @throws Failure where one of those was not accepted */
async function printDeliveries(run: Run, receiver: Receiver, options: Options): Promise<void> {
  const { output, settings, window, interrupted } = run;
  const { limit } = window;
  const below = options.showBody === true || settings.debug.value ? { below: formatBody } : {};
  const view = { noun: 'deliveries', columns: createLiveColumns(receiver.listener), ...below };
  const summary = createRunSummary(run.clock.now());
  try {
    await output.follow(limit === undefined ? receiver.rows : takeRows(receiver.rows, limit, summary), view);
  } finally {
    await receiver.close();
    const count = receiver.left.size;
    if (count > 0) output.note(`${pluralize(count, WORDS.noun)} pending for the next listener.`);
  }
  // Without a limit there is no summary, and Ctrl-C ends a listener.
  if (limit === undefined || interrupted.aborted) return;
  const count = summary.done.length + summary.failures.length;
  const replay = createReplayTemplate(receiver.listener)`ttctl webhooks replay --failed`;
  const job = { hint: `The next listener that forwards tries them again. To do it now: ${replay}` };
  const failure = createRunFailure(run, { summary, count, words: WORDS, job });
  if (failure !== undefined) throw failure;
}

/** At most `limit` deliveries, further attempts beside them; what became of each is added to the summary. */
async function* takeRows(rows: AsyncIterable<Row>, limit: number, summary: RunSummary): AsyncGenerator<Row> {
  const ends = new Map<unknown, Row>();
  let count = 0;
  for await (const row of rows) {
    if (!ends.has(row['key']) || row['repeat'] === true) count += 1;
    // A later attempt takes the place of an earlier one.
    ends.set(row['key'], row);
    yield row;
    if (count >= limit) break;
  }
  for (const row of ends.values()) {
    const { failure } = describeOutcome(row as ForwardingOutcome);
    if (failure === undefined) summary.done.push(toText(row['id']));
    else summary.failures.push(failure);
  }
}

export function readTextFlag(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError for what is no web address */
export function readWebAddress(where: string, value: unknown): string | undefined {
  const url = readTextFlag(value);
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
  throw new UsageError(`${where}: "${url}" is not a web address`);
}

/** A day: no timer can wait for much longer than that. */
const MAX_SECONDS = 86_400;

/** @throws UsageError for what is no web address, and for variables of no command or that are not set */
export function readForwardingFlags({ machine }: Run, options: Options): ForwardingOptions {
  const forward = readWebAddress('--forward', options.forward);
  const exec = readTextFlag(options.exec);
  const passEnv = Array.isArray(options.passEnv) ? options.passEnv.map(String) : [];
  if (passEnv.length > 0 && exec === undefined) throw new UsageError('--pass-env needs --exec');
  const missing = passEnv.filter((name) => machine.env[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`--pass-env: there is no variable ${missing.join(', ')}`, {
      hint: 'Pass the name of a variable that is set, without its value: --pass-env DATABASE_URL',
    });
  const seconds = String(options.handlerTimeout);
  if (!/^[1-9]\d*$/.test(seconds) || Number(seconds) > MAX_SECONDS)
    throw new UsageError(
      `--handler-timeout: "${seconds}" is not a number of seconds from 1 to ${MAX_SECONDS}`,
    );
  return { forward, exec, passEnv, handlerTimeoutMs: Number(seconds) * 1000 };
}
