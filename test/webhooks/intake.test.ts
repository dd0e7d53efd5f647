import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createForwarder } from '../../src/webhooks/forwarder.ts';
import { createIntake } from '../../src/webhooks/intake.ts';
import { UNMASKED } from '../../src/webhooks/rows.ts';
import { createDeliveryStore, type DeliveryStore, prepareDeliveryStore } from '../../src/webhooks/store.ts';

/** A delivery that was kept and could not be handed on: the command that is named hands on that very one. */

let folder: string;
let store: DeliveryStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-intake-'));
  prepareDeliveryStore(folder, true, Date.now());
  store = createDeliveryStore(folder, { warn: () => {} });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is said after a delivery of this id that a command refused. */
const saidOf = async (id: string): Promise<readonly string[]> => {
  const notes: string[] = [];
  const intake = createIntake({
    listener: {
      host: '127.0.0.1',
      port: 0,
      events: [],
      forwardStatus: false,
      requireSignature: false,
      exec: 'exit 3',
    },
    clock: { now: () => Date.UTC(2026, 10, 21) },
    masks: UNMASKED,
    store,
    messages: { note: (text) => void notes.push(text), ready: () => {}, failed: async () => {} },
    forward: createForwarder({
      exec: async () => ({ exit: 3 }),
      interrupted: new AbortController().signal,
    }),
    show: () => {},
  });
  const headers = [['webhook-id', id] as const];
  await intake.take({ method: 'POST', target: '/', headers, body: Buffer.from('{}') }, undefined);
  await intake.drain();
  return notes;
};

it('is named by its id', async () => {
  expect(await saidOf('m1')).toEqual(["Forward it again with: ttctl webhooks replay m1 --exec 'exit 3'"]);
});

it.each(['-x', '--yes', '-'])('is named by its key where the id %s would be read as a flag', async (id) => {
  const notes = await saidOf(id);
  expect(notes).toEqual([`Forward it again with: ttctl webhooks replay ${store.keys()[0]} --exec 'exit 3'`]);
});
