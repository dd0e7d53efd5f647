import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { webhooksCreate } from './create.ts';
import { webhooksDelete } from './delete.ts';
import { webhooksGet } from './get.ts';
import { webhooksList } from './list.ts';
import { webhooksUpdate } from './update.ts';

export const webhooks = (group: Command, door: Door): Command =>
  group
    .addCommand(webhooksList(door))
    .addCommand(webhooksGet(door))
    .addCommand(webhooksCreate(door))
    .addCommand(webhooksUpdate(door))
    .addCommand(webhooksDelete(door));
