import type { ControlFields, ControlledSandbox, ControlOperation } from './control-operation.ts';
import { DELIVERY_OPERATIONS } from './deliveries/operations.ts';
import { SNAPSHOT_OPERATIONS } from './snapshots/operations.ts';
import { STATE_OPERATIONS } from './state-operations.ts';

/**
 * What can be done to a sandbox beside its API: by `ttctl sandbox …`, by its page, by tests. A request is one record;
 * it is carried out in this process, or travels to a server as JSON (control-client.ts, control-endpoint.ts).
 */

export const CONTROL_OPERATIONS = { ...STATE_OPERATIONS, ...DELIVERY_OPERATIONS, ...SNAPSHOT_OPERATIONS };

type Operations = typeof CONTROL_OPERATIONS;
export type ControlName = keyof Operations;

export interface ControlRequest {
  readonly name: ControlName;
  readonly args: ControlFields;
}

export type SendControl = (request: ControlRequest) => Promise<unknown>;

type ControlArgs<Name extends ControlName> = ReturnType<Operations[Name]['read']>;

/** Each operation as a function. */
export type SandboxControl = {
  readonly [Name in ControlName]: (
    ...args: Record<never, never> extends ControlArgs<Name>
      ? [args?: ControlArgs<Name>]
      : [args: ControlArgs<Name>]
  ) => Promise<Awaited<ReturnType<Operations[Name]['run']>>>;
};

/** The one way to a control, whoever carries its requests out. */
export const createControl = (send: SendControl): SandboxControl => {
  const names = Object.keys(CONTROL_OPERATIONS) as ControlName[];
  const calls = names.map((name) => [name, (args: ControlFields = {}) => send({ name, args })]);
  // What is sent is answered with what the operation of that name returns.
  return Object.fromEntries(calls) as unknown as SandboxControl;
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
