import { deliveryById } from '../deliveries/operations.ts';
import { detailsOf, rowsOf } from '../deliveries/rows.ts';
import { explaining, explainingLater } from './errors.ts';
import type { Rig } from './rig.ts';
import type { SandboxWebhooks } from './types.ts';

/** What a sandbox sends to webhooks. */

export const webhooksOf = ({ hosted, chosen, dispatcher }: Rig): SandboxWebhooks => ({
  deliveries: (filter = {}) => rowsOf(hosted.world(), chosen.dialect, filter),
  delivery: (id) =>
    explaining(() => structuredClone(detailsOf(chosen.dialect, deliveryById(hosted.world(), id)))),
  trigger: (event, wish = {}) =>
    explainingLater(async () => (await hosted.control.trigger({ event, ...wish })).deliveries),
  redeliver: (...ids) => explainingLater(() => hosted.control.redeliver({ ids })),
  deliver: () => explainingLater(() => hosted.control.deliver({ all: true })),
  settled: () => dispatcher.idle(),
});
