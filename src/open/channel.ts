import type { Channel } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { type Extra, NO_EXTRA } from '../api/plan.ts';
import { scoped } from '../auth/scopes.ts';
import type { Session } from '../auth/session.ts';
import type { Parting } from '../changes/parting.ts';
import { commandLineFor } from '../config/command-line.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Raws } from '../context.ts';
import { authorizing, bearer } from '../http/authorize.ts';
import { departing } from '../http/depart.ts';
import { dryRun, foreseeing } from '../http/dry-run.ts';
import { pacing } from '../http/pace.ts';
import { permitting, readOnly } from '../http/read-only.ts';
import { retrying } from '../http/retry.ts';
import { createSender } from '../http/send.ts';
import { type Transport, writes } from '../http/transport.ts';
import { watching } from '../http/watched.ts';
import { isRecord, type JsonNumber } from '../json/number.ts';
import { UsageError } from '../outcome.ts';
import { safeCell } from '../terminal/safe-text.ts';
import type { Watch } from '../terminal/watch.ts';
import { type LimitsLeft, openPace, openWaiting, type PaceOptions } from './pace.ts';

/** The transport chain of one run, link by link, and the client's door to it. */

export interface ChainOptions extends PaceOptions {
  readonly session: Session;
  /** Asks before the first write to a protected profile. */
  readonly permit: () => Promise<void>;
  /** Tells a person what is waited for. */
  readonly watch: Watch;
  readonly warn: (text: string) => void;
}

export interface Chain {
  readonly transport: Transport;
  /** From now on the requests are some of very many: they let single commands pass (docs/requirements.md, CLI-6). */
  bulk(on: boolean): void;
  limits(base: string): Promise<LimitsLeft>;
  /** To be called after the output: the embedded sandbox may have something to send. */
  close(): Promise<void>;
}

/** One signal lets a write that is on its way end. */
const heldWrites =
  (next: Transport, parting: Parting): Transport =>
  (request) =>
    writes(request.method)
      ? parting.during(
          () => undefined,
          () => next(request),
          true,
        )
      : next(request);

/** What sends: the embedded sandbox, or a connection. */
const senderOf = ({ embedded, machine, settings }: ChainOptions) =>
  embedded ??
  createSender({
    timeoutMs: settings.timeoutSeconds.value * 1000,
    userAgent: `ttctl/${machine.version}`,
    interrupt: machine.interrupted,
    env: machine.env,
    clock: machine.clock,
  });

/** With `--debug` each request is written down; else a person is told of one that takes long. */
const traced = async (next: Transport, { machine, settings, watch }: ChainOptions): Promise<Transport> => {
  const { clock, redactor, stderr } = machine;
  const timeoutMs = settings.timeoutSeconds.value * 1000;
  if (!settings.debug.value) return watching(next, { show: watch.request, timeoutMs, redactor, clock });
  const { tracing } = await import('../http/trace.ts');
  const write = (line: string): void => void stderr.write(`${line}\n`).catch(() => {});
  return tracing(next, { write, safe: safeCell, redactor, clock });
};

/**
 * The links, the last one first: send, tracing (`--debug`), departing, pacing, authorizing, retrying, permitting (a
 * protected profile), scoped, readOnly, dryRun. So what is sent again, after a 401 too, is paced and counted again.
 */
export const createChain = async (options: ChainOptions): Promise<Chain> => {
  const { machine, settings, session, onWait } = options;
  const { clock, redactor } = machine;
  const sender = senderOf(options);
  let link = departing(await traced(sender.transport, options));
  let bulk = false;
  const waiting = openWaiting(options);
  const pace = openPace(options, waiting);
  const isBulk = (): boolean => bulk;
  link = authorizing(pacing(link, pace.budgetOf, { isBulk }), session);
  link = retrying(link, {
    maxWaitMs: settings.maxWaitSeconds.value * 1000,
    clock: { ...clock, sleep: async (ms, signal) => (await waiting()).clock.sleep(ms, signal) },
    interrupt: machine.interrupted,
    onWait,
  });
  link = heldWrites(link, machine.parting);
  if (settings.protected.value) link = permitting(link, options.permit);
  const guarded = (next: Transport): Transport => {
    const may = scoped(next, session);
    return settings.readOnly.value ? readOnly(may, settings.profile.value) : may;
  };
  link = guarded(link);
  if (settings.dryRun.value)
    link = foreseeing(dryRun(link, redactor), guarded(dryRun(link, redactor)), options.warn);
  return {
    transport: link,
    bulk(on) {
      bulk = on;
    },
    limits: async (base) => pace.left(base, bearer(await session.token())),
    // Not even the sandbox sends anything in a dry run.
    close: async () => (settings.dryRun.value && options.embedded !== undefined ? undefined : sender.close()),
  };
};

export interface ChannelOptions {
  readonly chain: () => Promise<Chain>;
  readonly base: () => string;
  readonly session: Session;
  readonly settings: Settings;
  readonly workspaceId: () => Promise<number | JsonNumber>;
  readonly knownWorkspaceId: () => Promise<number | JsonNumber | undefined>;
  /** The operation of the running command and its raw values; they are for it alone. */
  readonly own: Operation | undefined;
  readonly raws: () => Raws;
  readonly flagOf: (parameter: string) => string;
  readonly seen: Channel['seen'];
}

const asObject = (input: unknown): Readonly<Record<string, unknown>> => {
  if (input === undefined) return {};
  if (isRecord(input)) return { ...input };
  throw new UsageError('--input is not a JSON object');
};

/** What the typed client talks through. */
export const createChannel = (options: ChannelOptions): Channel => {
  const extraFor = (operation: Operation): Extra => {
    if (operation.id !== options.own?.id) return NO_EXTRA;
    const { query, fields, input } = options.raws();
    return { query, body: fields, input: asObject(input) };
  };
  return {
    get base() {
      return options.base();
    },
    transport: async (request) => (await options.chain()).transport(request),
    workspaceId: options.workspaceId,
    extraFor,
    flagOf: options.flagOf,
    commandLineFor: (own) => commandLineFor(options.settings, own),
    seen: options.seen,
    async explain(error, operation, values, commandLine) {
      const { hintFor } = await import('./hints.ts');
      const identity = await options.session.identity();
      // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
      const workspace = operation.workspace === 'none' ? undefined : await options.knownWorkspaceId();
      const { unusedAddresses } = options.settings;
      return hintFor(error, operation, values, { identity, workspace, unusedAddresses, commandLine });
    },
  };
};
