import { type Api, type ApiConnection, createApi } from '../api/client.ts';
import { Lists } from '../api/lists.ts';
import type { ApiReply } from '../api/reply.ts';
import type { CredentialStore } from '../auth/credentials.ts';
import { Session } from '../auth/session.ts';
import { SIGN_IN } from '../auth/sign-in.ts';
import { createFlagNamer, type Invocation } from '../cli/invocation.ts';
import { createCommandLine } from '../config/command-line.ts';
import type { Settings } from '../config/settings-types.ts';
import type { NameResolver, RawParameters } from '../context.ts';
import type { WaitNotice } from '../http/pacing.ts';
import { toNumber } from '../json/number.ts';
import { lazy } from '../lazy.ts';
import { UsageError } from '../outcome.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';
import { createNameResolver, type NameDialog } from './name-resolver.ts';
import { createWaitNotifier } from './pace.ts';
import type { RunRequests } from './requests.ts';
import { createApiConnection, createTransportChain, type TransportChain } from './transport-chain.ts';

/** The service of one run: its address, session, chain, workspace and client, each made when it is first used. */

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

export interface RunServices {
  readonly api: Api;
  /** The client with a token that is not stored yet. */
  as(token: string, baseUrl?: string): Api;
  readonly lists: Lists;
  readonly lookUps: NameResolver;
  readonly session: Session;
  readonly base: () => string;
  readonly chain: () => Promise<TransportChain>;
  /** Warns of numbers in a reply that could not be kept, once a field. */
  readonly warnRounded: (reply: Pick<ApiReply, 'rounded'>) => void;
  readonly workspaceId: () => Promise<number>;
  readonly knownWorkspaceId: () => Promise<number | undefined>;
  /** Closes the chain, where there is one: a run that asked nothing opens none for it. */
  close(): Promise<void>;
}

export interface Parts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly credentials: () => Promise<CredentialStore>;
  readonly stateFile: string | undefined;
  /** Directory of the rate ledgers. */
  readonly limitsDirectory: string | undefined;
  /** IANA name of the zone that days are shown in. */
  readonly timeZone: () => string;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Asks before the first write to a protected profile. @throws Failure (exit 9) when declined, UsageError */
  readonly confirmWrite: () => Promise<void>;
  /** Tells a person what is waited for. */
  readonly watch: ProgressIndicator;
  readonly requests: RunRequests;
  /** Told of every answer of the table's operations. */
  readonly onReply: ApiConnection['onReply'];
  /** Told when the embedded sandbox is used. */
  readonly onEmbedded: () => unknown;
  /** Where a name is not clear. */
  readonly dialog: NameDialog;
  /** Lets a person choose where none is set; `undefined` where nobody can be asked. */
  readonly pickWorkspace: (api: Api) => Promise<number | undefined>;
}

export const openRunServices = (
  invocation: Invocation,
  parts: Parts,
  raws: () => RawParameters,
): RunServices => {
  const { machine, settings, credentials, note, requests } = parts;
  const commandLine = createCommandLine(settings);
  const embedded = settings.embedded
    ? lazy(async () => {
        parts.onEmbedded();
        const { createSandboxDisk, openEmbeddedService } = await import('../sandbox-host/embedded.ts');
        const { clock, interrupted: interrupt } = machine;
        const timeoutMs = settings.timeoutSeconds.value * 1000;
        return openEmbeddedService(createSandboxDisk(parts.stateFile, clock), {
          clock,
          timeoutMs,
          interrupt,
        });
      })
    : undefined;
  const base = (): string => {
    const address = settings.baseUrl?.value ?? (embedded && EMBEDDED_BASE);
    if (address === undefined) throw createMissingAddressError(settings);
    return address;
  };
  const createSessionFor = (token: string | undefined, address: () => string, tokenSource?: string) =>
    new Session({
      profile: settings.profile.value,
      environmentToken: token,
      ...(tokenSource === undefined ? {} : { tokenSource }),
      get baseUrl() {
        return address();
      },
      credentials,
      register: machine.redactor.register,
      clock: machine.clock,
      timeZone: parts.timeZone,
      warn: parts.warn,
      renew: async (store, stored) => {
        const { renewStoredCredential } = await import('./renew-stored.ts');
        const renew = () => renewStoredCredential(parts, store, stored);
        return parts.watch.request(() => 'renewing the sign-in', renew);
      },
      ...(embedded === undefined
        ? {}
        : { embedded: { ownerToken: async () => (await embedded()).ownerToken() } }),
    });
  const session = createSessionFor(settings.token?.value, base);
  const notifyWait = createWaitNotifier(parts.watch.reportWait, note, () => machine.clock.now());
  const onWait = (wait: WaitNotice): void => {
    notifyWait(wait);
    if (wait.why === 'budget') requests.decide({ decision: 'wait', reason: 'rate_limit', ms: wait.ms });
  };
  const createLazyChain = (which: Session) =>
    lazy(async () => {
      return createTransportChain({
        machine,
        settings,
        session: which,
        embedded: await embedded?.(),
        limitsDirectory: parts.limitsDirectory,
        confirmWrite: parts.confirmWrite,
        requests,
        warn: parts.warn,
        onWait,
      });
    });
  const openChain = createLazyChain(session);
  let isOpened = false;
  const chain = (): Promise<TransportChain> => {
    isOpened = true;
    return openChain();
  };
  const configuredWorkspaceId = lazy(async (): Promise<number | undefined> => {
    const { workspace } = settings;
    if (embedded !== undefined) return (await embedded()).workspaceId(workspace);
    if (workspace === undefined) return undefined;
    const wanted = workspace.value;
    return isDigits(wanted) ? toNumber(String(wanted)) : (await lookUps.workspace(String(wanted))).id;
  });
  let picked: number | undefined;
  const pickWorkspaceId = lazy(async () => {
    picked = await parts.pickWorkspace(api);
    return picked;
  });
  const knownWorkspaceId = async () => (await configuredWorkspaceId()) ?? picked;
  const workspaceId = async () => {
    const id = await knownWorkspaceId();
    if (id !== undefined) return id;
    // Where nothing is set up at all, that is the thing to say.
    base();
    const chosen = await pickWorkspaceId();
    if (chosen === undefined) throw createMissingWorkspaceError(commandLine);
    return chosen;
  };
  const own = invocation.command.operation;
  const flagOf = createFlagNamer(invocation.command);
  const roundedFields = new Set<string>();
  const warnRounded = ({ rounded }: Pick<ApiReply, 'rounded'>): void => {
    for (const field of rounded?.values() ?? []) {
      if (roundedFields.has(field)) continue;
      roundedFields.add(field);
      parts.warn(`Numbers of ${field} have more digits than can be kept. They are shown rounded.`);
    }
  };
  const onReply: Parts['onReply'] = (operation, values, request, reply) => {
    parts.onReply(operation, values, request, reply);
    warnRounded(reply);
  };
  const { json: redact } = machine.redactor;
  const connection = { settings, base, workspaceId, knownWorkspaceId, own, raws, flagOf, onReply, redact };
  const api = createApi(createApiConnection({ ...connection, chain, session }));
  const lists = new Lists(api, () => machine.clock.now());
  const lookUps = createNameResolver(api, { lists, commandLine, dialog: parts.dialog });
  const as = (token: string, baseUrl?: string): Api => {
    const address = baseUrl === undefined ? base : () => baseUrl;
    const otherSession = createSessionFor(token, address, SIGN_IN);
    return createApi(
      createApiConnection({
        ...connection,
        base: address,
        chain: createLazyChain(otherSession),
        session: otherSession,
      }),
    );
  };
  const close = async (): Promise<void> => {
    if (isOpened) await (await chain()).close();
  };
  return { api, as, lists, lookUps, session, base, chain, warnRounded, workspaceId, knownWorkspaceId, close };
};
