import { deliveryById, type WebhookControl } from '../deliveries/control.ts';
import { detailsOf, rowsOf } from '../deliveries/rows.ts';
import { explaining, explainingLater } from './errors.ts';
import type { Rig } from './rig.ts';
import type { DeliveryRow, SandboxWebhooks } from './types.ts';

/** What a sandbox sends to webhooks. */

export const webhooksOf = ({ hosted, chosen, dispatcher }: Rig): SandboxWebhooks => {
  const send = (work: (control: WebhookControl) => Promise<readonly DeliveryRow[]>) =>
    explainingLater(async () => {
      const rows = await work(hosted.control.webhooks);
      // What failed is tried again later.
      dispatcher.wake();
      return rows;
    });
  return {
    deliveries: (filter = {}) => rowsOf(hosted.world(), chosen.dialect, filter),
    delivery: (id) =>
      explaining(() => structuredClone(detailsOf(chosen.dialect, deliveryById(hosted.world(), id)))),
    trigger: (event, wish = {}) =>
      send(async (control) => (await control.trigger({ event, ...wish }, false)).deliveries),
    redeliver: (...ids) => send((control) => control.redeliver(ids, false)),
    deliver: () => send((control) => control.deliver(true, false)),
    settled: () => dispatcher.idle(),
  };
};
