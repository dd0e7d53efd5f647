import { RESULT_FIELDS } from '../../commands/outputs.ts';
import { FORMATS, type Format } from '../../output/formats/formats.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from '../page.ts';

/** `csv, tsv and ids`: the formats of which this is true. */
const joinFormatNames = (holds: (format: Format) => boolean): string => {
  const names = FORMATS.filter(holds).map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

export const buildOutputTopic: HelpPage = {
  lead: 'Output formats, columns, conditions, sorting and queries.',
  sections: [
    createProse(
      'Data goes to stdout; notes, progress, prompts and errors go to stderr. With a JSON format there are no notes, and an error is one JSON object on the last line of stderr.',
    ),
    createSection('Formats (--output, --json)', {
      entries: FORMATS.map(({ name, about }): HelpEntry => [name, about]),
    }),
    createProse(`${joinFormatNames(({ streams }) => streams)} stream: rows are printed as pages arrive.`),
    createSection('Choosing', {
      entries: [
        [
          '--columns <a,b>',
          'fields to print, in order, by their API names; total.days selects a nested field, member.email one of a joined record',
        ],
        [
          '--columns <+a,-b>',
          'the default columns of the list, with one more and without another, in every format',
        ],
        ['--columns', 'lists the columns there are'],
        ['--where <condition>', 'only rows for which it is true; with --all, only those records'],
        ['--sort <field[:desc]>', 'sorts a list; prints nothing until all rows are read'],
        ['--group-by <field>', 'counts rows per value of a field; --sum totals another field'],
        ['--limit <n>', 'prints the first rows; with --sort or --group-by, after reading all of them'],
        [
          '--page <n>',
          'prints one page; a note on stderr says that the list is incomplete, except with a JSON format',
        ],
        [
          '--query <expression>',
          'filters the JSON with a JMESPath expression; implies JSON unless a format is given; selects no targets: for --all there is --where',
        ],
        [
          '--no-header',
          `omits the heading of ${joinFormatNames(({ shape }) => shape === 'screen' || shape === 'cells')}`,
        ],
      ],
    }),
    createProse(
      'A note on stderr says when --limit or --page leaves rows out, a warning when the service sent fewer rows than it counts.',
    ),
    createSection('Conditions (--where)', {
      text: 'A JMESPath expression on one record: put numbers in backquotes and text in single quotes. Besides the fields of the record, it can use member (id, email, name, role, weekly_hours_limit), project (id, name) and policy (id, name), where the record has one; for timesheets, leaves and time requests warnings, the codes of the inbox; and record, the record as it was sent. A record is never selected because data is missing: if a condition compares null with <, >, <= or >=, or compares two different types, it is undecided; the row is left out, and a warning says how many were. == null works as usual.',
    }),
    createSection('Fields', {
      text: `Any field of the records can be used, documented or not. If no field has that name, the heading of a table column selects its field: hours is total_hours of a timesheet; the output uses the name of the field. An unknown name ends with exit code 2 before anything is printed; to find out, rows are held back until one has the field. For an empty list this cannot be checked. ${joinFormatNames(({ shape, forPeople }) => shape === 'cells' && !forPeople)} start with the documented fields, in that order, even for an empty list.`,
    }),
    createSection('Ids', {
      text: 'In a terminal, a table shortens long ids to a prefix that is unique on the page; --columns id, a pipe and every other format print them in full. Such a prefix is also accepted as a target. If it matches several ids, they are listed and nothing is done.',
    }),
    createSection('Results', {
      text: `A write prints one result per target, in the given order: ${RESULT_FIELDS.join(', ')}. The status is done, unchanged (the record already has the values that the write would set, so nothing was sent), failed, unknown (the response was lost, and the records do not show the outcome), skipped, or planned (in a dry run, with the request that would be sent, and the fields that would change before and after). The label says which record it is. A dry run of approve or reject with several targets, or --all, has the codes of the inbox in warnings and their words in warning_messages; null means that they could not be determined. A write that the service accepts is done; if its response shows another value than was sent, the result has the warning differs. Only rates are checked, which the service drops for people who may not view them: the result is then failed, with the code not_saved.`,
    }),
    createSection('Empty lists', {
      text: 'An empty list is not an error: [] in JSON, a note on stderr in a table.',
    }),
    createSection('Long output', {
      text: 'ttctl does not use a pager. In a terminal, long lists show their progress. To read a wide table: ttctl members list | less -S',
    }),
    createSection('Examples', {
      commands: [
        'ttctl members list --columns id,email,current_role --output csv',
        "ttctl members list --where 'weekly_hours_limit > `40`'",
        'ttctl timesheets list --columns +member.email,-status --output csv',
        'ttctl members list --where "status == \'left\'" --query "[].email"',
        'ttctl timesheets list --status submitted --output ids',
      ],
    }),
    createProse('For the fields of the output of a command: ttctl schema members list --query prints'),
  ],
};
