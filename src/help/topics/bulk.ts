import { type Page, prose, titled } from '../page.ts';

export const bulk: Page = {
  lead: 'Act on many records at once, safely.',
  sections: [
    titled('Which records', {
      entries: [
        ['<id> <id> ...', 'named one by one; people also by e-mail address'],
        ['-', 'one a line on stdin'],
        ['--from-file <file>', 'one for each row of a CSV, JSON or NDJSON file; - is stdin'],
        [
          '--all',
          "every record in the right state that the list's filters match (approve, reject, submit, unsubmit, archive)",
        ],
      ],
    }),
    titled('Files', {
      text: 'The columns are named like the long flags (weekly_hours_limit or weekly-hours-limit); id, or email for people, names the record. A flag counts where a row says nothing. --template prints the heading of such a file. Every row is checked before the first request, and all that is wrong is told with its line.',
    }),
    titled('Before anything is sent', {
      entries: [
        ['--dry-run', 'shows each request, and sends no write'],
        ['--max-changes <n>', 'refuses more than so many; archive --all needs it where no filter is named'],
        ['--yes', 'answers the question that is asked on a terminal; needed without one'],
      ],
    }),
    titled(
      'Jobs',
      {
        text: 'A run over more than one record is a job: what became of each is on disk before and after its request, so that a crash loses nothing and repeats nothing. A write whose answer was lost is looked up, never sent again blindly. Failed rows are written to a file with an error column, to be corrected and fed back.',
      },
      {
        commands: ['ttctl jobs list', 'ttctl jobs show <job>', 'ttctl jobs resume <job>'],
      },
    ),
    prose(
      'At a terminal jobs resume shows what is left and asks. Without one it goes on: the run was agreed to when it began.',
    ),
    prose('--no-journal keeps no job: the run cannot be resumed then.'),
    titled('Examples', {
      commands: [
        'ttctl timesheets approve --all --period last-week --dry-run',
        'ttctl timesheets list --status submitted --output ids | ttctl timesheets approve - --yes',
        'ttctl members invite --template > people.csv',
        'ttctl members invite --from-file people.csv --role regular-user',
        'ttctl projects archive --all --name kiosk --dry-run',
      ],
    }),
    prose('See also: ttctl help limits (how fast it goes), ttctl help exit-codes (how it ends).'),
  ],
};
