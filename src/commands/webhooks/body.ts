import type { operations } from '../../api/operations.ts';
import type { Context } from '../../context.ts';
import { findNearest } from '../../parsing/names.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import { flag } from '../flags.ts';

type Write = typeof operations.webhooks.create | typeof operations.webhooks.update;

const EVENTS = `event to send; repeat or separate with commas: ${WEBHOOK_EVENTS.join(', ')} or any other`;

/** Any name may be sent; one that is not known is most likely mistyped. Each is told once. */
export const createEventNotes = ({ output }: Pick<Context, 'output'>) => {
  const told = new Set<string>(WEBHOOK_EVENTS);
  return (events: readonly string[]): void => {
    for (const event of events) {
      if (told.has(event)) continue;
      told.add(event);
      const meant = findNearest(event, WEBHOOK_EVENTS);
      const known =
        meant === undefined ? `Known events: ${WEBHOOK_EVENTS.join(', ')}` : `Did you mean ${meant}?`;
      output.note(`${event} is not a documented event. ${known}`);
    }
  };
};

/** The fields of a webhook as flags, the same for create and update. */
export const webhookBodyFlags = (operation: Write) =>
  [
    flag(operation, 'url'),
    { ...flag(operation, 'events', { as: 'event', about: EVENTS }), offers: WEBHOOK_EVENTS },
  ] as const;
