import { type Api, type ApiConnection, createApi } from '../api/client.ts';
import { Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import { type Extra, NO_EXTRA } from '../api/plan.ts';
import type { ApiReply } from '../api/reply.ts';
import type { CredentialStore } from '../auth/credentials.ts';
import { Session } from '../auth/session.ts';
import { SIGN_IN } from '../auth/sign-in.ts';
import { createWaitNotifier, TransportChain } from '../chain.ts';
import { createFlagNamer, type Invocation } from '../cli/invocation.ts';
import type { RawParameters } from '../commands/values.ts';
import { createCommandLine, type Settings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import type { WaitNotice } from '../http/links.ts';
import { isRecord, toNumber } from '../json.ts';
import { lazy } from '../lazy.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import type { Prompter } from '../output/prompt.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import type { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { LookUps } from '../resources/names.ts';

/** The service of one run: its address, session, chain, workspace and client, each made when it is first used. */

export interface Parts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly credentials: CredentialStore;
  readonly stateFile: string | undefined;
  readonly limitsDirectory: string | undefined;
  /** IANA name of the zone that days are shown in. */
  readonly timeZone: () => string;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Asks before the first write to a protected profile. @throws Failure (exit 9) when declined, UsageError */
  readonly confirmWrite: () => Promise<void>;
  readonly watch: ProgressIndicator;
  readonly requests: RunRequests;
  /** Told of every answer of the table's operations. */
  readonly onReply: ApiConnection['onReply'];
  readonly onEmbedded: () => unknown;
  readonly asked: () => Prompter | undefined;
  /** Lets a person choose where none is set; `undefined` where nobody can be asked. */
  readonly pickWorkspace: (api: Api) => Promise<number | undefined>;
}

const asObject = (input: unknown): Readonly<Record<string, unknown>> => {
  if (input === undefined) return {};
  if (isRecord(input)) return { ...input };
  throw new UsageError('--input is not a JSON object');
};

export class RunServices {
  readonly api: Api;
  readonly lists: Lists;
  readonly lookUps: LookUps;
  readonly session: Session;
  readonly #invocation: Invocation;
  readonly #parts: Parts;
  readonly #raws: () => RawParameters;
  readonly #commandLine: CommandLine;
  readonly #embedded;
  readonly #notifyWait: (wait: WaitNotice) => void;
  readonly #configuredWorkspaceId;
  readonly #pickWorkspaceId;
  readonly #rounded = new Set<string>();
  #opened: Promise<TransportChain> | undefined;
  #picked: number | undefined;

  constructor(invocation: Invocation, parts: Parts, raws: () => RawParameters) {
    const { machine, settings } = parts;
    this.#invocation = invocation;
    this.#parts = parts;
    this.#raws = raws;
    this.#commandLine = createCommandLine(settings);
    this.#embedded = settings.embedded
      ? lazy(async () => {
          parts.onEmbedded();
          const { createSandboxDisk, EmbeddedSandbox } = await import('../sandbox-host/embedded.ts');
          const { clock, interrupted: interrupt } = machine;
          const timeoutMs = settings.timeoutSeconds.value * 1000;
          const disk = createSandboxDisk(parts.stateFile, clock);
          return new EmbeddedSandbox(disk, { timeoutMs, interrupt });
        })
      : undefined;
    this.#notifyWait = createWaitNotifier(parts.watch.reportWait, parts.note, () => machine.clock.now());
    this.#configuredWorkspaceId = lazy(() => this.#findConfiguredWorkspace());
    this.#pickWorkspaceId = lazy(async () => {
      this.#picked = await parts.pickWorkspace(this.api);
      return this.#picked;
    });
    this.session = this.#createSession(settings.token?.value, () => this.base());
    this.api = this.#createApi(
      () => this.base(),
      () => this.chain(),
      this.session,
    );
    this.lists = new Lists(this.api, () => machine.clock.now());
    this.lookUps = new LookUps(this.api, this.lists, this.#commandLine, parts.asked);
  }

  /** @throws UsageError where there is none */
  base(): string {
    const { settings } = this.#parts;
    const address = settings.baseUrl?.value ?? (settings.embedded ? EMBEDDED_BASE : undefined);
    if (address === undefined) throw createMissingAddressError(settings);
    return address;
  }

  chain(): Promise<TransportChain> {
    this.#opened ??= this.#openChain(this.session);
    return this.#opened;
  }

  /** Closes the chain, where there is one: a run that asked nothing opens none for it. */
  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }

  as(token: string, baseUrl?: string): Api {
    const address = baseUrl === undefined ? () => this.base() : () => baseUrl;
    const session = this.#createSession(token, address, SIGN_IN);
    return this.#createApi(
      address,
      lazy(() => this.#openChain(session)),
      session,
    );
  }

  async knownWorkspaceId(): Promise<number | undefined> {
    return (await this.#configuredWorkspaceId()) ?? this.#picked;
  }

  async workspaceId(): Promise<number> {
    const id = await this.knownWorkspaceId();
    if (id !== undefined) return id;
    // Where nothing is set up at all, that is the thing to say.
    this.base();
    const chosen = await this.#pickWorkspaceId();
    if (chosen === undefined) throw createMissingWorkspaceError(this.#commandLine);
    return chosen;
  }

  /** Warns of numbers in a reply that could not be kept, once a field. */
  warnRounded({ rounded }: Pick<ApiReply, 'rounded'>): void {
    for (const field of rounded?.values() ?? []) {
      if (this.#rounded.has(field)) continue;
      this.#rounded.add(field);
      this.#parts.warn(`Numbers of ${field} have more digits than can be kept. They are shown rounded.`);
    }
  }

  async #findConfiguredWorkspace(): Promise<number | undefined> {
    const { workspace } = this.#parts.settings;
    if (this.#embedded !== undefined) return (await this.#embedded()).workspaceId(workspace);
    if (workspace === undefined) return undefined;
    const wanted = String(workspace.value);
    return isDigits(wanted) ? toNumber(wanted) : (await this.lookUps.workspace(wanted)).id;
  }

  #createSession(token: string | undefined, address: () => string, tokenSource?: string): Session {
    const parts = this.#parts;
    const { machine, settings, credentials, timeZone, warn } = parts;
    const embedded = this.#embedded;
    return new Session({
      profile: settings.profile.value,
      environmentToken: token,
      ...(tokenSource === undefined ? {} : { tokenSource }),
      get baseUrl() {
        return address();
      },
      ...{ store: credentials, timeZone, warn, clock: machine.clock, register: machine.redactor.register },
      renew: async (stored) => {
        const { renewCredential } = await import('../auth/renewer.ts');
        const renew = () => renewCredential(parts, credentials, stored);
        return parts.watch.request(() => 'renewing the sign-in', renew);
      },
      ...(embedded && { embedded: { ownerToken: async () => (await embedded()).ownerToken() } }),
    });
  }

  async #openChain(session: Session): Promise<TransportChain> {
    const { machine, settings, limitsDirectory, confirmWrite, requests, warn } = this.#parts;
    const onWait = (wait: WaitNotice): void => {
      this.#notifyWait(wait);
      if (wait.why === 'budget') requests.decide({ decision: 'wait', reason: 'rate_limit', ms: wait.ms });
    };
    const embedded = await this.#embedded?.();
    const options = { machine, settings, session, embedded, limitsDirectory, confirmWrite, requests };
    return TransportChain.open({ ...options, warn, onWait });
  }

  /** The raw values are for the operation of the running command alone. */
  #extraFor(operation: Operation): Extra {
    if (operation.id !== this.#invocation.command.operation?.id) return NO_EXTRA;
    const { query, fields, input } = this.#raws();
    return { query, body: fields, input: asObject(input) };
  }

  #createApi(base: () => string, chain: () => Promise<TransportChain>, session: Session): Api {
    const { machine, settings, onReply } = this.#parts;
    return createApi({
      get base() {
        return base();
      },
      transport: async (request) => (await chain()).transport(request),
      workspaceId: () => this.workspaceId(),
      extraFor: (operation) => this.#extraFor(operation),
      flagOf: createFlagNamer(this.#invocation.command),
      commandLineFor: (own) => createCommandLine(settings, own),
      redact: machine.redactor.json,
      onReply: (operation, values, request, reply) => {
        onReply(operation, values, request, reply);
        this.warnRounded(reply);
      },
      explain: async (error, operation, values, commandLine) => {
        const { findHint } = await import('../api/hints.ts');
        const identity = await session.identity();
        // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
        const workspace = operation.workspace === 'none' ? undefined : await this.knownWorkspaceId();
        const { unusedAddresses } = settings;
        return findHint(error, operation, values, { identity, workspace, unusedAddresses, commandLine });
      },
    });
  }
}

const isDigits = (value: unknown): boolean => /^\d+$/.test(String(value));

const createMissingWorkspaceError = (commandLine: CommandLine): UsageError =>
  new UsageError('no workspace', {
    code: 'missing_workspace',
    hint: `Pass --workspace, set TTCTL_WORKSPACE, or choose a default: ${commandLine`ttctl workspaces use <workspace>`}`,
  });

const createMissingAddressError = (settings: Settings): UsageError =>
  new UsageError('no service address', {
    code: 'missing_base_url',
    reason: `Profile ${settings.profile.value} has no base_url, and there is no built-in address.`,
    hint:
      'Sign in: ttctl auth login --base-url https://<host>/api/v2 (with a Personal Access Token: add --token-stdin)\n' +
      'Or try the sandbox: --profile sandbox',
  });

/** Address of the embedded sandbox: no request for it leaves the process. */
const EMBEDDED_BASE = 'http://localhost/api/v2';
