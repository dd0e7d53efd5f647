import { PERIODS } from '../../notation/periods.ts';
import { type Page, prose, titled } from '../page.ts';

export const dates: Page = {
  lead: 'Dates, times and periods.',
  sections: [
    titled('Days', {
      entries: [
        ['2026-11-20', 'a calendar date'],
        ['today, yesterday, tomorrow', 'in the time zone'],
        ['-7d, +2d', 'days ago, or ahead'],
      ],
    }),
    prose('Use an equals sign for a value that starts with a dash: --date-from=-7d'),
    titled('Times', {
      entries: [
        ['2026-11-20T09:00', 'wall-clock time in the time zone'],
        ['2026-11-20T09:00+01:00', 'with an explicit offset'],
      ],
    }),
    titled('Periods (--period)', {
      text: `${PERIODS}. The first and last day are included. Weeks start on Monday.`,
    }),
    titled('Time zone', {
      text: 'From --timezone, else the profile, else the system: an IANA name such as Europe/Berlin.',
    }),
    titled('Examples', {
      commands: [
        'ttctl timesheets list --period last-month',
        'ttctl leaves list --period next-month',
        'ttctl leaves list --date-from today --date-to +30d --timezone Europe/Lisbon',
      ],
    }),
  ],
};
