import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { sandboxApp } from './app.ts';
import { sandboxClock } from './clock.ts';
import { sandboxCoverage } from './coverage.ts';
import { sandboxEnv } from './env.ts';
import { sandboxExec } from './exec.ts';
import { sandboxFault } from './fault.ts';
import { sandboxLog } from './log.ts';
import { sandboxOpen } from './open.ts';
import { sandboxReset } from './reset.ts';
import { sandboxSimulate } from './simulate.ts';
import { sandboxSnapshot } from './snapshot.ts';
import { sandboxStart } from './start.ts';
import { sandboxStatus } from './status.ts';
import { sandboxStop } from './stop.ts';
import { sandboxToken } from './token.ts';
import { sandboxWebhooks } from './webhooks.ts';

export const sandbox = (group: Command, door: Door, whole: () => Promise<Command>): Command =>
  withVerbs(group, door, {
    start: sandboxStart,
    stop: sandboxStop,
    status: sandboxStatus,
    reset: sandboxReset,
    exec: sandboxExec,
    env: sandboxEnv,
    clock: sandboxClock,
    fault: sandboxFault,
    log: (from) => sandboxLog(from, whole),
    open: sandboxOpen,
    snapshot: sandboxSnapshot,
    simulate: sandboxSimulate,
    token: sandboxToken,
    app: sandboxApp,
    webhooks: sandboxWebhooks,
    coverage: sandboxCoverage,
  });
