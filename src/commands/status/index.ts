import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

/** `ttctl status`: what waits, who has not submitted, who is away, and how long the sign-in lasts. */
export const status = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: ['ttctl status', 'ttctl status --json --query "waiting.with_warnings"'],
    more: [
      {
        title: 'What it shows',
        text: 'The timesheets, leave requests and time requests that wait for a decision, and how many of them the inbox warns about; who has not submitted a timesheet for each workday of last week; who is away today and this week on approved leave; and how long the sign-in lasts. Without a command, ttctl shows the same in a terminal.',
      },
      {
        title: 'Other commands',
        entries: [
          ['ttctl auth status', 'who is signed in and how'],
          ['ttctl sandbox status', 'the state of the sandbox'],
          ['ttctl doctor', 'settings, address, clock and limits'],
        ],
      },
    ],
    prints: { shape: 'record', fields: ['waiting', 'not_submitted', 'away', 'sign_in'] },
    exits: [...SERVICE_EXITS, 8],
    flags: [zoneFlag],
    run: async (context) => {
      const { showStatus } = await import('./show-status.ts');
      await showStatus(context);
    },
  });
