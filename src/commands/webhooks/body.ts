import type { operations } from '../../api/operations.ts';
import type { Context } from '../../context.ts';
import { findNearest } from '../../parsing/names.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import { flag } from '../flags.ts';

type WriteOperation = typeof operations.webhooks.create | typeof operations.webhooks.update;

const EVENTS = `event to send; repeat or separate with commas: ${WEBHOOK_EVENTS.join(', ')} or any other`;

/** Any name may be sent; an unknown one is most likely mistyped. Each is noted once. */
export const createEventNotes = ({ output }: Pick<Context, 'output'>) => {
  const notedEvents = new Set<string>(WEBHOOK_EVENTS);
  return (events: readonly string[]): void => {
    for (const event of events) {
      if (notedEvents.has(event)) continue;
      notedEvents.add(event);
      const suggestion = findNearest(event, WEBHOOK_EVENTS);
      const advice =
        suggestion === undefined
          ? `Known events: ${WEBHOOK_EVENTS.join(', ')}`
          : `Did you mean ${suggestion}?`;
      output.note(`${event} is not a documented event. ${advice}`);
    }
  };
};

/** The fields of a webhook as flags, the same for create and update. */
export const webhookBodyFlags = (operation: WriteOperation) =>
  [
    flag(operation, 'url'),
    { ...flag(operation, 'events', { as: 'event', about: EVENTS }), offers: WEBHOOK_EVENTS },
  ] as const;
