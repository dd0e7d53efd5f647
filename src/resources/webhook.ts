import { listOf, shown, text, uri } from './fields.ts';
import { resource } from './resource.ts';

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

export const webhook = resource({
  noun: 'webhooks',
  words: ['webhook', 'webhooks'],
  fields: { id: text, url: uri, events: listOf(text), token: shown(text, { kind: 'secret' }) },
});
