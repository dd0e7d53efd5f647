import { EXIT_MEANING } from '../../outcome.ts';
import { type Entry, type Page, prose, titled } from '../page.ts';

export const exitCodes: Page = {
  lead: 'How a run ends.',
  sections: [
    titled('Exit codes', {
      entries: Object.entries(EXIT_MEANING).map(([code, meaning]): Entry => [code, meaning]),
    }),
    prose(
      'A run over several targets ends with 0 when all are done; with the code of the failure when all failed alike, or there was one; else with 8. The result of each target is on stdout in any case.',
      'ttctl sandbox exec ends with the code of the command that it ran; like a shell with 127 where there is none of that name, and 126 where it cannot be run.',
    ),
    titled('Errors', {
      text: 'On stderr, the last thing there: what happened, why, and after "hint:" what to do. With a JSON format it is one JSON object on one line, with code (a word that stays the same), exit, message and hint; of an answer of the service also status and request. Of a fault in ttctl itself it names the file in the state directory that was written of it, without secrets, for a report.',
    }),
    titled('In a script', {
      commands: [
        'ttctl timesheets approve --all --period last-week --yes --json > results.json || test $? -eq 8',
        'ttctl jobs list --limit 1',
      ],
    }),
  ],
};
