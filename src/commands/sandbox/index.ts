import type { Group, Noun } from '../../cli/command.ts';
import { sandboxApp } from './app.ts';
import { sandboxClock } from './clock.ts';
import { sandboxEnv } from './env.ts';
import { sandboxExec } from './exec.ts';
import { sandboxFault } from './fault.ts';
import { sandboxLog } from './log.ts';
import { sandboxReset } from './reset.ts';
import { sandboxSnapshot } from './snapshot.ts';
import { sandboxStart } from './start.ts';
import { sandboxStatus } from './status.ts';
import { sandboxStop } from './stop.ts';
import { sandboxToken } from './token.ts';
import { sandboxWebhooks } from './webhooks.ts';

export const sandbox = (noun: Noun): Group => ({
  ...noun,
  commands: [
    sandboxStart,
    sandboxStop,
    sandboxStatus,
    sandboxReset,
    sandboxExec,
    sandboxEnv,
    sandboxClock,
    sandboxFault,
    sandboxLog,
    sandboxSnapshot,
    sandboxToken,
    sandboxApp,
    sandboxWebhooks,
  ],
});
