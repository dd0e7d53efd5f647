import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { sandboxApp } from './app.ts';
import { sandboxCoverage } from './coverage.ts';
import { sandboxEnv } from './env.ts';
import { sandboxExec } from './exec.ts';
import { sandboxReset } from './reset.ts';
import { sandboxStart } from './start.ts';
import { sandboxStatus } from './status.ts';
import { sandboxStop } from './stop.ts';
import { sandboxToken } from './token.ts';

export const sandbox = (group: Command, door: Door): Command =>
  group
    .addCommand(sandboxStart(door))
    .addCommand(sandboxStop(door))
    .addCommand(sandboxStatus(door))
    .addCommand(sandboxReset(door))
    .addCommand(sandboxExec(door))
    .addCommand(sandboxEnv(door))
    .addCommand(sandboxToken(door))
    .addCommand(sandboxApp(door))
    .addCommand(sandboxCoverage(door));
