import type { Format } from '../output/formats/formats.ts';
import type { RateLimit, SortOrder, Sourced } from './values.ts';

export interface GlobalFlags {
  readonly profile?: string;
  readonly output?: string;
  readonly json?: boolean;
  /** `--no-color` gives false; true has no effect. */
  readonly color?: boolean;
  readonly [flag: string]: unknown;
}

export interface Settings {
  readonly profile: Sourced<string>;
  /** Whether requests are answered by the sandbox in this process: addresses are undefined then. */
  readonly embedded: boolean;
  /** Id or name. */
  readonly workspace: Sourced<string> | undefined;
  readonly output: Sourced<Format>;
  readonly columns: Sourced<readonly string[]> | undefined;
  readonly sort: Sourced<SortOrder> | undefined;
  readonly header: Sourced<boolean>;
  readonly query: Sourced<string> | undefined;
  readonly yes: Sourced<boolean>;
  readonly noInput: Sourced<boolean>;
  /** With `--plan` too. */
  readonly dryRun: Sourced<boolean>;
  /** The file that planned changes go to; `-`: stdout. */
  readonly plan?: string | undefined;
  readonly quiet: Sourced<boolean>;
  readonly debug: Sourced<boolean>;
  /** The file that events are added to; `-`: stderr. */
  readonly log: Sourced<string> | undefined;
  readonly timeoutSeconds: Sourced<number>;
  readonly maxWaitSeconds: Sourced<number>;
  /** How long after a lost answer what the write did may still appear. */
  readonly settleSeconds: Sourced<number>;
  /** Of the environment alone; a stored credential is not looked at here. */
  readonly token: Sourced<string> | undefined;
  /** Day on which the token of the environment was made. */
  readonly tokenCreated: Sourced<string> | undefined;
  /** Variables that hold an address and are passed over: the profile `sandbox` leads nowhere else. */
  readonly unusedAddresses: readonly string[];
  readonly baseUrl: Sourced<string> | undefined;
  readonly authUrl: Sourced<string> | undefined;
  readonly tokenUrl: Sourced<string> | undefined;
  readonly clientId: Sourced<string> | undefined;
  readonly clientSecret: Sourced<string> | undefined;
  readonly redirectUri: Sourced<string> | undefined;
  /** A comma list. */
  readonly scope: Sourced<string> | undefined;
  /** Undefined: the system's. */
  readonly timezone: Sourced<string> | undefined;
  readonly rateLimit: Sourced<RateLimit | 'off'>;
  readonly readOnly: Sourced<boolean>;
  readonly protected: Sourced<boolean>;
}
