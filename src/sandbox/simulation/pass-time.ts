import type { SandboxEvent } from '../app.ts';
import { moveClock } from '../clock.ts';
import { recordEvent } from '../deliveries/ledger.ts';
import type { ServiceDialect } from '../dialect.ts';
import { toSandboxTime } from '../state.ts';
import type { World } from '../world.ts';
import { checkSpan, type SimulationResult, simulate } from './simulate.ts';

export interface PassTimeOptions {
  readonly by_ms: number;
  /** The machine's time, ms. */
  readonly machine: number;
  readonly dialect: ServiceDialect;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed: readonly string[];
}

/**
 * Simulates from now on, tells webhooks what happens, and moves the clock with it.
 * @throws UsageError for no time, and for more than a year; nothing is changed then
 */
export const passTime = (
  world: World,
  { by_ms, machine, dialect, allowed }: PassTimeOptions,
): SimulationResult => {
  const from = toSandboxTime(world, machine);
  const to = from + checkSpan(by_ms);
  const onEvent = (event: SandboxEvent): void => recordEvent(world, event, allowed);
  const result = simulate(world, { from, to, dialect, onEvent });
  moveClock(world, { action: 'set', to_ms: to }, machine);
  return result;
};
