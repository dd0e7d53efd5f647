import type { Group, Noun } from '../../cli/command.ts';
import { webhooksCreate } from './create.ts';
import { webhooksDelete } from './delete.ts';
import { webhooksGet } from './get.ts';
import { webhooksList } from './list.ts';
import { webhooksListen } from './listen.ts';
import { webhooksReceived } from './received.ts';
import { webhooksReplay } from './replay.ts';
import { webhooksUpdate } from './update.ts';

export const webhooks = (noun: Noun): Group => ({
  ...noun,
  commands: [
    webhooksList,
    webhooksGet,
    webhooksCreate,
    webhooksUpdate,
    webhooksDelete,
    webhooksListen,
    webhooksReceived,
    webhooksReplay,
  ],
});
