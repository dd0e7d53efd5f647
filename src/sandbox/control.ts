import type { ClockMove, StoredClock } from './clock.ts';
import type { ControlFields, ControlledSandbox, ControlOperation } from './control-operation.ts';
import { DELIVERY_OPERATIONS, type TriggerRequest, type TriggerResult } from './deliveries/operations.ts';
import type { StoredDeliveryDetails, StoredDeliveryFilter, StoredDeliveryRow } from './deliveries/rows.ts';
import type { FaultRequest, StoredFaultRow } from './faults.ts';
import type { StoredLogRow } from './log.ts';
import type { AppRegistration, AppRow, IssuedApp } from './oauth/apps.ts';
import type { Difference } from './snapshots/difference.ts';
import { SNAPSHOT_OPERATIONS } from './snapshots/operations.ts';
import type { SnapshotRow } from './snapshots/snapshot.ts';
import { STATE_OPERATIONS, type TokenRequest } from './state-operations.ts';
import type { SandboxStatus } from './status.ts';
import type { TokenRow } from './token-rows.ts';
import type { CreatedToken } from './tokens.ts';

/**
 * What can be done to a sandbox beside its API: by `ttctl sandbox …`, by tests. A request is one record; it is carried
 * out in this process, or travels to a server as JSON (control-client.ts, control-endpoint.ts).
 */
export const CONTROL_OPERATIONS = { ...STATE_OPERATIONS, ...DELIVERY_OPERATIONS, ...SNAPSHOT_OPERATIONS };

type Operations = typeof CONTROL_OPERATIONS;
export type ControlName = keyof Operations;

export interface ControlRequest {
  readonly name: ControlName;
  readonly args: ControlFields;
}

export type SendControl = (request: ControlRequest) => Promise<unknown>;

/** Each operation as a function. */
export interface SandboxControl {
  status(): Promise<SandboxStatus>;
  /** Begins again from a seed (`demo`), by the sandbox's clock; every token ends. */
  reset(args?: { readonly seed?: string; readonly limits?: boolean }): Promise<SandboxStatus>;
  createToken(args: TokenRequest): Promise<CreatedToken>;
  tokens(): Promise<readonly TokenRow[]>;
  /** By id or name. */
  revokeToken(args: { readonly token: string }): Promise<TokenRow>;
  createApp(args: AppRegistration): Promise<IssuedApp>;
  apps(): Promise<readonly AppRow[]>;
  clock(): Promise<StoredClock>;
  moveClock(args: ClockMove): Promise<StoredClock>;
  faults(): Promise<readonly StoredFaultRow[]>;
  /** The next calls of an operation (`timesheets approve`, `POST /oauth/token`) fail. */
  addFault(args: FaultRequest): Promise<StoredFaultRow>;
  /** All, or those of these ids. @returns how many */
  clearFaults(args?: { readonly ids?: readonly number[] }): Promise<number>;
  /** The latest 1,000 requests, the oldest first; `after`: those after the one with this id. */
  log(args?: { readonly after?: string }): Promise<readonly StoredLogRow[]>;
  clearLog(): Promise<{ readonly cleared: boolean }>;
  stop(): Promise<{ readonly stopped: boolean }>;
  /** The newest first. */
  deliveries(args?: StoredDeliveryFilter): Promise<readonly StoredDeliveryRow[]>;
  delivery(args: { readonly id: string }): Promise<StoredDeliveryDetails>;
  /** Sends these again now, whatever became of them. */
  redeliver(args: { readonly ids: readonly string[] }): Promise<readonly StoredDeliveryRow[]>;
  /** Sends what is due; `all`: what waits for its next attempt too. */
  deliver(args?: { readonly all?: boolean }): Promise<readonly StoredDeliveryRow[]>;
  /** Makes an event up and sends it. */
  trigger(args: TriggerRequest): Promise<TriggerResult>;
  snapshots(): Promise<readonly SnapshotRow[]>;
  saveSnapshot(args: { readonly name: string; readonly replace?: boolean }): Promise<SnapshotRow>;
  restoreSnapshot(args: { readonly name: string }): Promise<SnapshotRow>;
  /** From the snapshot to another, or to how things are. */
  diffSnapshot(args: {
    readonly name: string;
    readonly other?: string | undefined;
  }): Promise<readonly Difference[]>;
  removeSnapshot(args: { readonly name: string }): Promise<SnapshotRow>;
}

/** What the operations take and return: the interface has to say the same. */
type Performed = {
  readonly [Name in ControlName]: (
    args?: ReturnType<Operations[Name]['read']>,
  ) => Promise<Awaited<ReturnType<Operations[Name]['run']>>>;
};

/** The one way to a control, whoever carries its requests out. */
export const createControl = (send: SendControl): SandboxControl => {
  const names = Object.keys(CONTROL_OPERATIONS) as ControlName[];
  const calls = names.map((name) => [name, (args: ControlFields = {}) => send({ name, args })]);
  // What is sent is answered with what the operation of that name returns.
  return Object.fromEntries(calls) as unknown as Performed;
};

/** Carries a request out. @throws UsageError for arguments that cannot be; what the operation throws */
export const performControl = async (
  sandbox: ControlledSandbox,
  { name, args }: ControlRequest,
): Promise<unknown> => {
  const operation: ControlOperation<unknown, unknown> = CONTROL_OPERATIONS[name];
  return operation.run(sandbox, operation.read(args));
};

/** Whether the request may change something. */
export const isChange = ({ name }: ControlRequest): boolean =>
  CONTROL_OPERATIONS[name].route.startsWith('POST ');
