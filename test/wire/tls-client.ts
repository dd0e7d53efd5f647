import { createHttpSender } from '../../src/http/send.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { realClock } from '../../src/platform/machine.ts';

/** Runs in a process of its own: sends the requests of its first argument and prints what became of each. */
interface Task {
  readonly env: Record<string, string>;
  readonly requests: readonly HttpRequest[];
}

const loaded = (): string[] => {
  const list: unknown = Reflect.get(process, 'moduleLoadList');
  return Array.isArray(list) ? list.map(String) : [];
};

const run = async ({ env, requests }: Task): Promise<void> => {
  const { transport } = createHttpSender({
    timeoutMs: 60_000,
    userAgent: 'ttctl/test',
    clock: realClock,
    env,
  });
  const ends: unknown[] = [];
  for (const request of requests) {
    ends.push(
      await transport(request).catch((error: unknown) => ({
        code: Reflect.get(Object(error), 'code'),
        sent: Reflect.get(Object(error), 'sent'),
      })),
    );
  }
  const https = loaded().includes('NativeModule https');
  // Nothing is closed: the process must end by itself although connections are kept.
  process.stdout.write(JSON.stringify({ ends, https }));
};

void run(JSON.parse(process.argv[2] ?? ''));
