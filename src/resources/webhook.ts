import { listOf, text, uri } from './fields.ts';

export const webhookFields = { id: text, url: uri, events: listOf(text), token: text } as const;
