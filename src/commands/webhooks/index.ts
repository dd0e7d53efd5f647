import type { Command } from '../../cli/command.ts';
import { webhooksListen } from './listen.ts';
import { webhooksReceived } from './received.ts';
import { webhooksReplay } from './replay.ts';

/** What is done with deliveries on this machine. */
export const deliveries: readonly Command[] = [webhooksListen, webhooksReceived, webhooksReplay];
