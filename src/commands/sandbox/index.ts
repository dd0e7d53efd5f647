import type { Group, Noun } from '../../cli/command.ts';
import { sandboxClock } from './clock.ts';
import { sandboxFault } from './faults.ts';
import { sandboxLog } from './log.ts';
import { sandboxEnv, sandboxExec, sandboxReset, sandboxStart, sandboxStatus, sandboxStop } from './server.ts';
import { sandboxSnapshot } from './snapshots.ts';
import { sandboxApp, sandboxToken } from './tokens.ts';
import { sandboxWebhooks } from './webhooks.ts';

export const sandbox = (noun: Noun): Group => ({
  ...noun,
  commands: [
    ...[sandboxStart, sandboxStop, sandboxStatus, sandboxReset, sandboxExec, sandboxEnv],
    ...[sandboxClock, sandboxFault, sandboxLog, sandboxSnapshot, sandboxToken, sandboxApp, sandboxWebhooks],
  ],
});
