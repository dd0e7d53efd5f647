import { RESULT_FIELDS } from '../../commands/answers.ts';
import { FORMATS, type Format } from '../../terminal/formats/formats.ts';
import { type Entry, type Page, prose, titled } from '../page.ts';

/** `csv, tsv and ids`: the formats of which this is true. */
const namesOf = (holds: (format: Format) => boolean): string => {
  const names = FORMATS.filter(holds).map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

export const output: Page = {
  lead: 'What is printed, and where.',
  sections: [
    prose(
      'Data goes to stdout; notes, progress, questions and errors go to stderr. With a JSON format there are no notes, and the error is one JSON object on one line, the last of stderr.',
    ),
    titled('Formats (--output, --json)', {
      entries: FORMATS.map(({ name, about }): Entry => [name, about]),
    }),
    prose(
      `${namesOf(({ streams }) => streams)} stream: the first rows appear before the last page has been fetched.`,
    ),
    titled('Choosing', {
      entries: [
        ['--columns <a,b>', "fields by the API's names, in this order; total.days reaches into an object"],
        ['--sort <field[:desc]>', 'sorts a list, which holds the rows back until all are there'],
        ['--group-by <field>', 'counts the rows for each value of a field; --sum adds up another in each'],
        ['--limit <n>', 'the first rows; with --sort or --group-by the first of the whole, which is read'],
        ['--page <n>', 'one page; that a list is shortened is noted on stderr, not with a JSON format'],
        [
          '--query <expression>',
          'a JMESPath expression over the JSON; means JSON unless a format is named; it prints, and chooses no targets: not with --all',
        ],
        [
          '--no-header',
          `leaves the heading out of ${namesOf(({ shape }) => shape === 'screen' || shape === 'cells')}`,
        ],
      ],
    }),
    prose('A note on stderr says when a list is a part.'),
    titled('Fields', {
      text: `Any field of the records may be named, documented or not. Where they have none of that name, the heading of a table's column stands for its field: hours is total_hours of a timesheet; the output has the field's name. A name that no record has, and no document, ends with exit 2 before anything is printed; to find that out, rows are held back until one has it. Of an empty list that cannot be known. ${namesOf(({ shape, forPeople }) => shape === 'cells' && !forPeople)} begin with the documented fields, in that order, whether there are rows or not.`,
    }),
    titled('Results', {
      text: `A write over targets prints a result for each, in the order given: ${RESULT_FIELDS.join(', ')}. The status is done, failed, unknown (its answer was lost, and looking it up did not settle it), skipped, or planned (in a dry run, with the request that would be sent). One that the service took without some of its fields, as it does with rates for those who may not view them, is failed with the code not_saved.`,
    }),
    titled('Empty lists', { text: 'An empty list is a success: [] in JSON, a note on stderr in a table.' }),
    titled('Long output', {
      text: 'Nothing is paged, and no list is cut that was asked for whole. On a terminal long reading says how far it is. To read a wide table: ttctl members list | less -S',
    }),
    titled('Examples', {
      commands: [
        'ttctl members list --columns id,email,current_role --output csv',
        'ttctl members list --query "[?status==\'left\'].email"',
        'ttctl timesheets list --status submitted --output ids',
      ],
    }),
    prose('The JSON Schema of what a command prints: ttctl schema members list --output-schema'),
  ],
};
