// A bare server to measure the sandbox against: one route that answers the JSON value it was given, and nothing else.
// Started by bench-sandbox.mjs.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const value = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const app = new Hono();
app.all('/api/v2/*', (context) => context.json(value));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(JSON.stringify({ port })),
);
