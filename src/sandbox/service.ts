import type { SandboxControl } from './control.ts';
import type { Locator, ServerAddresses } from './locator.ts';

export type { ClockMove } from './clock.ts';

/** What `ttctl sandbox …` works with. Types only: `sandbox-host/service.ts` builds it. */

export type SandboxServerInfo = ServerAddresses & Pick<Locator, 'port' | 'pid'>;

export interface ServeOptions {
  /** 0 means any free port. */
  readonly port: number;
  /** Path of a state file; absent: in memory. */
  readonly state?: string | undefined;
  /** Name of a seed, or path of a seed file. */
  readonly seed?: string | undefined;
  readonly dialect?: string | undefined;
  readonly limits?: 'off' | undefined;
  /** The command keeps the config, state and cache directory of the user. For `exec` alone. */
  readonly keepState?: boolean | undefined;
  /** E-mail address of who approves every OAuth2 request at once, with no page. */
  readonly autoApprove?: string | undefined;
  /** Hosts beside this machine that webhooks may be delivered to. */
  readonly allowWebhooksTo?: readonly string[];
}

/** The sandboxes of this machine. */
export interface SandboxService {
  /** The one at `url`, else the running server, else the embedded one. */
  control(url: string | undefined): SandboxControl;
  /** The same; where nothing answers at an address of the settings, the running server, and that is told. */
  living(url: string | undefined): Promise<SandboxControl>;
  /** Ends a server; its port is free again then. @returns its root; undefined: none is meant */
  stop(url: string | undefined): Promise<string | undefined>;
  running(): SandboxServerInfo | undefined;
  /** Serves until it is stopped; `onReady` is called once it can answer. Returns the exit code of its end. */
  serve(options: ServeOptions, onReady: (info: SandboxServerInfo) => Promise<void>): Promise<number>;
  /** Starts a server in a process of its own. */
  detach(options: ServeOptions): Promise<SandboxServerInfo>;
  /** Runs a command against a sandbox of its own, which is gone afterwards. Returns the command's exit code. */
  exec(command: readonly string[], options: ServeOptions): Promise<number>;
  /** The variables that point a command at a server, with a token in them that is the same each time. @throws UsageError without a server */
  variables(url: string | undefined): Promise<Readonly<Record<string, string>>>;
  /** The JSON value that a person wrote: as it is, or `@` and a file. @throws UsageError */
  value(text: string): Promise<unknown>;
  /** After the output: the embedded sandbox may have something to send to webhooks. */
  close(): Promise<void>;
}
