import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';

/** What one has to know before one uses a command stands in its help. */

describe('the help of', () => {
  it.each([
    ['api', /without confirmation, even a DELETE/],
    ['api', /--paginate +fetch all pages and print one array/],
    ['jobs resume', /ttctl jobs show <job> --json/],
    ['webhooks listen', /its output goes to stderr/],
  ])('%s says it: %s', async (command, words) => {
    const { stdout, exit } = await runInProcess([...command.split(' '), '--help']);
    expect(exit).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(words);
  });
});
