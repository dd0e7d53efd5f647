import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { urlFlag } from './target.ts';

export const sandboxStop = defineCommand({
  path: 'sandbox stop',
  about: 'stop the running sandbox server',
  examples: ['ttctl sandbox stop'],
  prints: { shape: 'record', fields: ['stopped', 'url'] },
  exits: [7],
  flags: [urlFlag],
  run: async (context, { options }) => {
    const url = await (await context.sandbox()).stop(options.url);
    if (url !== undefined) {
      const text = `the sandbox server at ${url} was stopped`;
      return printLocalChange(context, {
        record: { stopped: true, url },
        text,
        inspectLine: 'ttctl sandbox status',
      });
    }
    await context.output.record({ stopped: false });
    context.output.note('No sandbox server is running.');
  },
});
