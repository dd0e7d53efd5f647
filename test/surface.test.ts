import { expect, it } from 'vitest';
import { allOperations } from '../src/api/operations.ts';
import { ROUTES } from '../src/sandbox/routes.ts';
import { documentedFields } from './support/documented-types.ts';
import { sessionsFor } from './support/session-runner.ts';
import { leaves } from './support/tree.ts';

it('every operation has a command, the sandbox, a literal request, and a read a documented type', async () => {
  const commands = new Set((await leaves()).map(({ command }) => command.operation?.route));
  const steps = sessionsFor('service').flatMap((session) => session.steps);
  const requests = steps.flatMap((step) => (step.requests ?? []).map(({ line }) => line));
  const missing = allOperations.flatMap(({ id, route, method }) => {
    const noun = id.split('.')[0];
    const literal = new RegExp(`^${route.replace(/\{\w+\}/g, '[^/?]+')}(\\?| |$)`);
    return [
      ...(commands.has(route) ? [] : [`${id}: no command in src/resources/${noun}.ts`]),
      ...(ROUTES.some((one) => one.route === route) ? [] : [`${id}: not in src/sandbox/routes.ts`]),
      ...(requests.some((line) => literal.test(line))
        ? []
        : [`${id}: no request in test/scripts/${noun}.requests.session`]),
      ...(method !== 'GET' || documentedFields(route).length > 0
        ? []
        : [`${id}: no type in test/support/documented-types.ts`]),
    ];
  });
  expect(missing).toEqual([]);
});

// The surface as one reviewable file: each operation of the service, its command, and what webhooks hear of it.
it('the surface is the one that was reviewed, in test/surface.txt', async () => {
  const commands = new Map((await leaves()).map(({ path, command }) => [command.operation?.route, path]));
  const events = new Map(ROUTES.map((route) => [route.route, route.events ?? []]));
  const lines = allOperations.map(({ route }) =>
    [`${route} → ${commands.get(route)}`, ...(events.get(route) ?? [])].join(', '),
  );
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./surface.txt');
});
