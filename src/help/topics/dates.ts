import { PERIODS } from '../../notation/periods.ts';
import { type Page, prose, titled } from '../page.ts';

export const dates: Page = {
  lead: 'Days, times and periods.',
  sections: [
    titled('Days', {
      entries: [
        ['2026-11-20', 'a day of the calendar'],
        ['today, yesterday, tomorrow', 'in the time zone'],
        ['-7d, +2d', 'so many days ago, or ahead'],
      ],
    }),
    prose('A value that begins with a dash is safest with an equals sign: --date-from=-7d'),
    titled('Times', {
      entries: [
        ['2026-11-20T09:00', 'wall-clock time in the time zone'],
        ['2026-11-20T09:00+01:00', 'with an offset of its own'],
      ],
    }),
    titled('Periods (--period)', {
      text: `${PERIODS}. First and last day are included; weeks begin on Monday.`,
    }),
    titled('Time zone', {
      text: "--timezone, else the profile's timezone, else that of the system: an IANA name such as Europe/Berlin.",
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
