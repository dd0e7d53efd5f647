import type { Command } from 'commander';
import type { operations } from '../../api/operations.ts';
import { WEBHOOK_EVENTS } from '../../api/vocabulary.ts';
import { flag, offering } from '../options.ts';

type Write = typeof operations.webhooks.create | typeof operations.webhooks.update;

const EVENTS = `event to send, several with a comma or repeated: ${WEBHOOK_EVENTS.join(', ')} or any other`;

/** The fields of a webhook as flags, the same for create and update. */
export const bodyOptions = (command: Command, operation: Write): Command =>
  command
    .addOption(flag(operation, 'url'))
    .addOption(offering(flag(operation, 'events', { as: 'event', about: EVENTS }), WEBHOOK_EVENTS));
