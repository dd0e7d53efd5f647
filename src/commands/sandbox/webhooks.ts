import { defineGroup } from '../../cli/command.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookDeliver, webhookRedeliver } from './webhook-send.ts';
import { webhookShow } from './webhook-show.ts';
import { webhookTrigger } from './webhook-trigger.ts';

/** `sandbox webhooks …` */
export const sandboxWebhooks = defineGroup(
  'sandbox webhooks',
  'inspect and send webhook deliveries of the sandbox',
  [webhookDeliveries, webhookShow, webhookTrigger, webhookRedeliver, webhookDeliver],
);
