import { defineGroup } from '../../cli/command.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookDeliver, webhookRedeliver } from './webhook-send.ts';
import { webhookShow } from './webhook-show.ts';
import { webhookTrigger } from './webhook-trigger.ts';

/** `sandbox webhooks …` */
export const sandboxWebhooks = defineGroup('sandbox webhooks', 'what the sandbox sends to webhooks', [
  webhookDeliveries,
  webhookShow,
  webhookTrigger,
  webhookRedeliver,
  webhookDeliver,
]);
