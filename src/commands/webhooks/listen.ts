import { collectRows, type Row } from '../../api/page.ts';
import { WEBHOOK_EVENTS, webhook } from '../../api/records.ts';
import type { RunWords } from '../../changes/change.ts';
import { readText } from '../../changes/input/files.ts';
import {
  createRunFailure,
  createRunSummary,
  failAfter,
  type RunSummary,
  toResult,
} from '../../changes/report.ts';
import { writeAlone } from '../../changes/write.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { isLoopback } from '../../parsing/text.ts';
import { describeUnknownEvents } from '../../resources/webhooks.ts';
import type { Run } from '../../run.ts';
import { describeOutcome, type ForwardingOptions, type ForwardingOutcome } from '../../webhooks/forward.ts';
import { type ListenerOptions, Receiver } from '../../webhooks/receiver.ts';
import { parsePort } from '../values.ts';
import { createLiveColumns, formatBody } from './deliveries.ts';

type Options = Readonly<Record<string, unknown>>;

/** @throws UsageError, Failure (exit 1) where port or folder cannot be had, and what the service refuses */
export async function runListener(run: Run, options: Options): Promise<void> {
  const { machine, output, settings, interrupted } = run;
  const { create, tokenStdin, requireSignature } = options;
  const listener = readListenerFlags(run, options);
  const unknown = describeUnknownEvents(listener);
  if (unknown !== undefined) output.note(unknown);
  const webhookId = readTextFlag(options.webhook);
  const given = [
    ...(webhookId === undefined ? [] : ['--webhook']),
    ...(create === true ? ['--create'] : []),
    ...(tokenStdin === true ? ['--token-stdin'] : []),
  ];
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be used together`);
  let token = machine.env.TTCTL_WEBHOOK_TOKEN || undefined;
  if (requireSignature === true && given.length === 0 && token === undefined)
    throw new UsageError('--require-signature needs a token', {
      hint: 'Add --webhook <id>, --create or --token-stdin, or set TTCTL_WEBHOOK_TOKEN.',
    });
  const publicUrl = readWebAddress('--url', options.url);
  const baseUrl = settings.embedded ? undefined : settings.baseUrl?.value;
  const isElsewhere = baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname);
  if (create === true && publicUrl === undefined && isElsewhere)
    throw new UsageError('the service cannot reach a listener on this machine', {
      code: 'not_reachable',
      hint: 'Pass its public address (of a tunnel or proxy) with --url.',
    });
  if (webhookId !== undefined) token = await fetchToken(run, webhookId);
  if (tokenStdin === true) {
    token = (await readText(machine, '-')).trim();
    if (token === '') throw new UsageError('--token-stdin: stdin is empty');
  }
  const receiver = new Receiver(run, listener);
  await receiver.during(async () => {
    const { url } = receiver;
    if (create === true) return listenWithOwnWebhook(run, receiver, publicUrl ?? url, options);
    if (settings.dryRun.value) {
      const planned = { status: 'planned', operation: 'webhooks.listen' } as const;
      return output.result({ target: url, ...planned, message: 'would listen here' });
    }
    receiver.begin(token);
    return printDeliveries(run, receiver, options);
  });
  // Ctrl-C ends a listener: it is no failure, but sets the exit code.
  const { reason } = interrupted;
  if (interrupted.aborted) run.exit(reason instanceof Cancelled ? reason.exit : EXIT.interrupted);
}

function readListenerFlags(run: Run, options: Options): ListenerOptions {
  const { path, create } = options;
  const to = readForwardingFlags(run, options);
  const answerAfterHandler = options.answerAfterHandler === true;
  if (path !== undefined && !String(path).startsWith('/'))
    throw new UsageError(`--path: "${path}" does not begin with /`);
  if (answerAfterHandler && to.forward === undefined && to.exec === undefined)
    throw new UsageError('--answer-after-handler needs --forward or --exec');
  if (options.url !== undefined && create !== true) throw new UsageError('--url needs --create');
  const events = Array.isArray(options.event) ? options.event.map(String) : [];
  return {
    ...to,
    host: String(options.host),
    port: parsePort('--port', String(options.port)),
    path: readTextFlag(path),
    store: readTextFlag(options.store),
    events: events.flatMap((text) => text.split(',')).filter(Boolean),
    answerAfterHandler,
    requireSignature: options.requireSignature === true,
    refuseUnsigned: create === true,
  };
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
  options: Options,
): Promise<void> {
  const { output, commandLine, api } = run;
  const isHere = (one: Row): boolean => one.url === url;
  const existing = await collectRows(api.webhooks.list({}).pages(), isHere);
  // A killed listener leaves its webhook behind, and each delivery then arrives once more for each of those.
  for (const { id } of existing)
    output.warn(
      `webhook ${id} already points to ${url}. It may be left over from another listener. Delete it with: ${commandLine`ttctl webhooks delete ${id}`}`,
    );
  const { events: wanted } = receiver.listener;
  const events = [...(wanted.length > 0 ? wanted : WEBHOOK_EVENTS)];
  const words = (verb: RunWords['verb']): RunWords => ({ verb, noun: webhook.words });
  const creation = api.webhooks.create({ url, events });
  const made = await writeAlone(run, words(['create', 'created']), creation, url);
  if (made.status === 'planned') return output.result(toResult(made));
  const { failure: refusal } = made;
  let record = made.data as Row | null | undefined;
  if (refusal !== undefined && record?.['id'] === undefined) {
    if (made.status !== 'unknown') throw refusal;
    return failAfter(run, output.result(toResult(made)), refusal);
  }
  // Not all of it is as it was asked for.
  if (refusal !== undefined) output.warn([refusal.message, refusal.reason].filter(Boolean).join('. '));
  if (record?.['id'] === undefined) {
    const here = await collectRows(run.afterwards().webhooks.list({}).pages(), isHere);
    record = here.find(({ id }) => !existing.some((other) => toText(other.id) === toText(id)));
  }
  if (record?.['id'] === undefined)
    throw new Failure('the service did not return the id of the webhook it created', {
      code: 'no_record',
      exit: EXIT.tryLater,
      hint: `Check whether it exists, and remove it with: ${commandLine`ttctl webhooks delete ${placeholder('id')}`}`,
    });
  const { token, id: given } = record;
  const id = toText(given);
  const listen = async (): Promise<void> => {
    const secret = readTextFlag(token) ?? (await fetchToken(run, id));
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
  }
  // Without a limit there is no summary, and Ctrl-C ends a listener.
  if (limit === undefined || interrupted.aborted) return;
  const count = summary.done.length + summary.failures.length;
  const job = { hint: 'The next listener that forwards tries them again; webhooks replay does it now.' };
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

function readTextFlag(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError for what is no web address */
function readWebAddress(where: string, value: unknown): string | undefined {
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
