import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';

/** What one has to know before one uses a command stands in its help. */

describe('the help of', () => {
  it.each([
    ['api', /never asks, a DELETE too/],
    ['api', /--paginate +fetch all pages: one array/],
    ['jobs resume', /ttctl jobs show <job> --json/],
    ['webhooks listen', /all that it prints to stderr/],
  ])('%s says it: %s', async (command, words) => {
    const { stdout, exit } = await runInProcess([...command.split(' '), '--help']);
    expect(exit).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(words);
  });
});
