import type { Door } from '../../run.ts';
import { localCommand } from '../command.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookDeliver, webhookRedeliver } from './webhook-send.ts';
import { webhookShow } from './webhook-show.ts';
import { webhookTrigger } from './webhook-trigger.ts';

/** `sandbox webhooks …` */
export const sandboxWebhooks = (door: Door) =>
  localCommand('webhooks', 'what the sandbox sends to webhooks', { examples: [] })
    .addCommand(webhookDeliveries(door))
    .addCommand(webhookShow(door))
    .addCommand(webhookTrigger(door))
    .addCommand(webhookRedeliver(door))
    .addCommand(webhookDeliver(door));
