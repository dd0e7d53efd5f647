import type { Context } from '../../context.ts';
import { findNearest } from '../../parsing/names.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';

/** Any name may be sent; an unknown one is most likely mistyped. Each is noted once. */
export function createEventNotes({ output }: Pick<Context, 'output'>): (events: readonly string[]) => void {
  const notedEvents = new Set<string>(WEBHOOK_EVENTS);
  return (events) => {
    for (const event of events) {
      if (notedEvents.has(event)) continue;
      notedEvents.add(event);
      const nearest = findNearest(event, WEBHOOK_EVENTS);
      const advice =
        nearest === undefined ? `Known events: ${WEBHOOK_EVENTS.join(', ')}` : `Did you mean ${nearest}?`;
      output.note(`${event} is not a documented event. ${advice}`);
    }
  };
}
