import { arrayOf, defineResource, text, uri, withDisplay } from './resource.ts';

/** Known event names; the list is not complete, others are accepted. */
export const WEBHOOK_EVENTS = [
  'tracker.started',
  'tracker.stopped',
  'member.invited',
  'member.updated',
  'member.deleted',
  'member.activated',
  'member.archived',
  'project.created',
  'project.updated',
  'project.deleted',
] as const;

export const webhook = defineResource({
  noun: 'webhooks',
  words: ['webhook', 'webhooks'],
  fields: {
    id: text,
    url: withDisplay(uri, { kind: 'address' }),
    events: arrayOf(text),
    token: withDisplay(text, { kind: 'secret' }),
  },
});
