import type { Command } from 'commander';
import { type Api, createApi } from './api/client.ts';
import type { CredentialStore } from './auth/credentials.ts';
import { createSession, type Session } from './auth/session.ts';
import { type Chain, createChain, createChannel } from './channel.ts';
import { factsOf } from './commands/command.ts';
import { flagNames } from './commands/options.ts';
import type { Settings } from './config/settings-types.ts';
import type { Raws } from './context.ts';
import { lazy } from './lazy.ts';
import { createLookUps } from './look-ups.ts';
import type { Machine } from './machine.ts';
import { UsageError } from './outcome.ts';

/** The service of one run: its address, session, chain, workspace and client, each made when it is first used. */

const isDigits = (value: unknown): boolean => /^\d{1,15}$/.test(String(value));

const missingWorkspace = (): UsageError =>
  new UsageError('no workspace', {
    code: 'missing_workspace',
    hint: 'Pass --workspace, set TTCTL_WORKSPACE, or choose a default: ttctl workspaces use <workspace>',
  });

const missingAddress = (settings: Settings): UsageError =>
  new UsageError('no service address', {
    code: 'missing_base_url',
    reason: `Profile ${settings.profile.value} has no base_url, and there is none built in.`,
    hint:
      'Sign in: ttctl auth login --base-url https://<host>/api/v2 --token-stdin\n' +
      'Or try it on the embedded sandbox: --profile sandbox',
  });

/** Address of the embedded sandbox: no request for it leaves the process. */
const EMBEDDED_BASE = 'http://localhost/api/v2';

export interface Service {
  readonly api: Api;
  /** The client with a token that is not stored yet. */
  as(token: string): Api;
  readonly session: Session;
  readonly base: () => string;
  readonly chain: () => Promise<Chain>;
  readonly workspaceId: () => Promise<number>;
  readonly knownWorkspaceId: () => Promise<number | undefined>;
}

export interface Parts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly credentials: () => Promise<CredentialStore>;
  readonly stateFile: string | undefined;
  readonly note: (text: string) => void;
}

export const openService = (command: Command, parts: Parts, raws: () => Raws): Service => {
  const { machine, settings, credentials, note } = parts;
  const embedded = settings.embedded
    ? lazy(async () => {
        const { openEmbedded } = await import('./sandbox-embedded.ts');
        return openEmbedded(parts.stateFile, machine.clock);
      })
    : undefined;
  const base = (): string => {
    const address = settings.baseUrl?.value ?? (embedded && EMBEDDED_BASE);
    if (address === undefined) throw missingAddress(settings);
    return address;
  };
  const sessionWith = (token: string | undefined) =>
    createSession({
      profile: settings.profile.value,
      environmentToken: token,
      get baseUrl() {
        return base();
      },
      credentials,
      register: machine.redactor.register,
      ...(embedded === undefined
        ? {}
        : { embedded: { ownerToken: async () => (await embedded()).ownerToken() } }),
    });
  const session = sessionWith(settings.token?.value);
  const chainOf = (which: Session) =>
    lazy(async () => {
      const transport = embedded === undefined ? undefined : (await embedded()).transport;
      return createChain({ machine, settings, session: which, embedded: transport, onWait: note });
    });
  const chain = chainOf(session);
  const knownWorkspaceId = lazy(async (): Promise<number | undefined> => {
    const wanted = settings.workspace?.value;
    if (wanted === undefined) return embedded === undefined ? undefined : (await embedded()).workspaceId();
    return isDigits(wanted) ? Number(wanted) : (await createLookUps(api).workspace(String(wanted))).id;
  });
  const workspaceId = async () => {
    const id = await knownWorkspaceId();
    if (id === undefined) throw missingWorkspace();
    return id;
  };
  const own = factsOf(command).operation;
  const flagOf = flagNames(command);
  const door = { base, workspaceId, knownWorkspaceId, own, raws, flagOf };
  const api = createApi(createChannel({ ...door, chain, session }));
  const as = (token: string): Api => {
    const other = sessionWith(token);
    return createApi(createChannel({ ...door, chain: chainOf(other), session: other }));
  };
  return { api, as, session, base, chain, workspaceId, knownWorkspaceId };
};
