import type { ApiConnection } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { type Extra, NO_EXTRA } from '../api/plan.ts';
import type { Session } from '../auth/session.ts';
import { withScopeCheck } from '../auth/sign-in.ts';
import type { ExitNotices } from '../changes/exit-notices.ts';
import { createCommandLine } from '../config/command-line.ts';
import type { Settings } from '../config/settings-types.ts';
import type { RawParameters } from '../context.ts';
import {
  formatBearer,
  withAuthorization,
  withBeforeSend,
  withDryRun,
  withDryRunWarning,
  withReadOnly,
  withWriteConfirmation,
} from '../http/decorators.ts';
import { withPacing } from '../http/pacing.ts';
import { withRetries } from '../http/retry.ts';
import { createHttpSender } from '../http/send.ts';
import { isWrite, type Transport } from '../http/transport.ts';
import { isRecord } from '../json/number.ts';
import { UsageError } from '../outcome.ts';
import { openRateLimit, type RateLimitOptions, type RemainingLimits } from './pace.ts';
import type { RunRequests } from './requests.ts';

/** The transport chain of one run, link by link, and the client's connection to it. */

export interface TransportChainOptions extends RateLimitOptions {
  readonly session: Session;
  /** Asks before the first write to a protected profile. */
  readonly confirmWrite: () => Promise<void>;
  readonly requests: RunRequests;
  readonly warn: (text: string) => void;
}

export interface TransportChain {
  readonly transport: Transport;
  /** From now on the requests are some of very many: they let single commands pass. */
  bulk(on: boolean): void;
  limits(base: string): Promise<RemainingLimits>;
  /** To be called after the output: the embedded sandbox may have something to send. */
  close(): Promise<void>;
}

/** One signal lets a write that is on its way end. */
const withHeldWrites =
  (next: Transport, exitNotices: ExitNotices): Transport =>
  (request) =>
    isWrite(request.method)
      ? exitNotices.during(
          () => undefined,
          () => next(request),
          true,
        )
      : next(request);

/** What sends: the embedded sandbox, or a connection. */
const createSender = ({ embedded, machine, settings }: TransportChainOptions) =>
  embedded ??
  createHttpSender({
    timeoutMs: settings.timeoutSeconds.value * 1000,
    userAgent: `ttctl/${machine.version}`,
    interrupt: machine.interrupted,
    env: machine.env,
    clock: machine.clock,
  });

/**
 * The links, the last one first: send, tracing (`--debug`, `--log`), withBeforeSend, withPacing, withAuthorization,
 * withRetries, numbers, withHeldWrites, withWriteConfirmation (a protected profile), withScopeCheck, withReadOnly, withDryRun. So what is sent again, after a 401 too, is paced and counted again.
 */
export const createTransportChain = async (options: TransportChainOptions): Promise<TransportChain> => {
  const { machine, settings, session, requests, onWait } = options;
  const { redactor } = machine;
  const { decide } = requests;
  const sender = createSender(options);
  let link = withBeforeSend(requests.observe(sender.transport, settings.timeoutSeconds.value * 1000));
  let bulk = false;
  const rateLimit = await openRateLimit(options);
  link = withAuthorization(withPacing(link, rateLimit.getBudget, { isBulk: () => bulk }), session, decide);
  link = withRetries(link, {
    maxWaitMs: settings.maxWaitSeconds.value * 1000,
    clock: machine.clock,
    interrupt: machine.interrupted,
    onWait,
    decide,
  });
  link = withHeldWrites(requests.numbers.link(link), machine.exitNotices);
  if (settings.protected.value) link = withWriteConfirmation(link, options.confirmWrite);
  const withGuards = (next: Transport): Transport => {
    const scoped = withScopeCheck(next, session);
    return settings.readOnly.value ? withReadOnly(scoped, settings.profile.value) : scoped;
  };
  link = withGuards(link);
  if (settings.dryRun.value)
    link = withDryRunWarning(
      withDryRun(link, redactor),
      withGuards(withDryRun(link, redactor)),
      options.warn,
    );
  return {
    transport: link,
    bulk(on) {
      bulk = on;
    },
    limits: async (base) => rateLimit.getRemaining(base, formatBearer(await session.token())),
    // Not even the sandbox sends anything in a dry run.
    close: async () => (settings.dryRun.value && options.embedded !== undefined ? undefined : sender.close()),
  };
};

export interface ApiConnectionOptions {
  readonly chain: () => Promise<TransportChain>;
  readonly base: () => string;
  readonly session: Session;
  readonly settings: Settings;
  readonly workspaceId: () => Promise<number>;
  readonly knownWorkspaceId: () => Promise<number | undefined>;
  /** The operation of the running command and its raw values; they are for it alone. */
  readonly own: Operation | undefined;
  readonly raws: () => RawParameters;
  readonly flagOf: (parameter: string) => string;
  readonly onReply: ApiConnection['onReply'];
  readonly redact: ApiConnection['redact'];
}

const asObject = (input: unknown): Readonly<Record<string, unknown>> => {
  if (input === undefined) return {};
  if (isRecord(input)) return { ...input };
  throw new UsageError('--input is not a JSON object');
};

/** What the typed client talks through. */
export const createApiConnection = (options: ApiConnectionOptions): ApiConnection => {
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
    commandLineFor: (own) => createCommandLine(options.settings, own),
    onReply: options.onReply,
    redact: options.redact,
    async explain(error, operation, values, commandLine) {
      const { findHint } = await import('./hints.ts');
      const identity = await options.session.identity();
      // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
      const workspace = operation.workspace === 'none' ? undefined : await options.knownWorkspaceId();
      const { unusedAddresses } = options.settings;
      return findHint(error, operation, values, { identity, workspace, unusedAddresses, commandLine });
    },
  };
};
