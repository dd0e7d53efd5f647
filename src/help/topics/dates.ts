import { PERIODS } from '../../parsing/calendar.ts';
import { createProse, createSection, type HelpPage } from '../page.ts';

export const buildDatesTopic: HelpPage = {
  lead: 'Dates, times and periods.',
  sections: [
    createSection('Days', {
      entries: [
        ['2026-11-20', 'a calendar date'],
        ['today, yesterday, tomorrow', 'in the time zone'],
        ['-7d, +2d', 'days ago, or ahead'],
      ],
    }),
    createProse('Use an equals sign for a value that starts with a dash: --date-from=-7d'),
    createSection('Times', {
      entries: [
        ['2026-11-20T09:00', 'wall-clock time in the time zone'],
        ['2026-11-20T09:00+01:00', 'with an explicit offset'],
      ],
    }),
    createSection('Periods (--period)', {
      text: `${PERIODS}. The first and last day are included. Weeks start on Monday.`,
    }),
    createSection('Time zone', {
      text: 'From --timezone, else the profile, else the system: an IANA name such as Europe/Berlin.',
    }),
    createSection('Examples', {
      commands: [
        'ttctl timesheets list --period last-month',
        'ttctl leaves list --period next-month',
        'ttctl leaves list --date-from today --date-to +30d --timezone Europe/Lisbon',
      ],
    }),
  ],
};
