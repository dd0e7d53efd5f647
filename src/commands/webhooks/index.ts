import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { webhooksCreate } from './create.ts';
import { webhooksDelete } from './delete.ts';
import { webhooksGet } from './get.ts';
import { webhooksList } from './list.ts';
import { webhooksListen } from './listen.ts';
import { webhooksReceived } from './received.ts';
import { webhooksReplay } from './replay.ts';
import { webhooksUpdate } from './update.ts';

export const webhooks = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: webhooksList,
    get: webhooksGet,
    create: webhooksCreate,
    update: webhooksUpdate,
    delete: webhooksDelete,
    listen: webhooksListen,
    received: webhooksReceived,
    replay: webhooksReplay,
  });
