import type { Clock } from '../clock.ts';
import type { DeliverySender } from './deliveries/sender.ts';
import type { ServiceDialect } from './dialect.ts';
import type { RequestLog } from './log.ts';
import type { SnapshotStore } from './snapshots/snapshot.ts';
import type { StateAccess } from './state-access.ts';
import type { SandboxFacts } from './status.ts';
import type { World } from './world.ts';

/** One operation of the control: how it is addressed, the check of its arguments, its work. */

/** Arguments as they come: typed from this process, as JSON or a query over a port. */
export type ControlFields = Readonly<Record<string, unknown>>;

/** A sandbox in this process, as the control's operations use it. */
export interface ControlledSandbox {
  /** The machine's. */
  readonly clock: Clock;
  readonly state: StateAccess;
  readonly log: RequestLog;
  readonly snapshots: SnapshotStore;
  readonly sender: DeliverySender;
  readonly dialect: ServiceDialect;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed: readonly string[];
  about(): SandboxFacts;
  /** Ends a server; the embedded sandbox has nothing to end. */
  stop(): Promise<void>;
}

export interface ControlOperation<Args, Result> {
  /** Method and path below `/_sandbox/`. GET only looks, and anybody on this machine may; POST needs the secret. */
  readonly route: string;
  /** Fields of another type are left out. @throws UsageError */
  read(fields: ControlFields): Args;
  run(sandbox: ControlledSandbox, args: Args): Result | Promise<Result>;
}

export const defineControlOperation = <Args, Result>(
  route: string,
  read: ControlOperation<Args, Result>['read'],
  run: ControlOperation<Args, Result>['run'],
): ControlOperation<Args, Result> => ({ route, read, run });

/** A change of the state that is kept. */
export const changeState = <T>({ state }: ControlledSandbox, work: (world: World) => T): Promise<T> =>
  state.use((world, save) => {
    const result = work(world);
    save();
    return result;
  });

/** Those of the fields that are there as text. */
export const pickTexts = <Name extends string>(
  fields: ControlFields,
  ...names: readonly Name[]
): { readonly [N in Name]?: string } => {
  const present = names.filter((name) => typeof fields[name] === 'string');
  return Object.fromEntries(present.map((name) => [name, fields[name]])) as { [N in Name]?: string };
};

export const readList = <T>(value: unknown, isItem: (item: unknown) => item is T): T[] =>
  Array.isArray(value) ? value.filter(isItem) : [];

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isPlainNumber = (value: unknown): value is number => typeof value === 'number';
