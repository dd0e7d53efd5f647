import { EXIT_MEANING } from '../../errors.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from '../page.ts';

export const buildExitCodesTopic: HelpPage = {
  lead: 'Exit codes and error output.',
  sections: [
    createSection('Exit codes', {
      entries: Object.entries(EXIT_MEANING).map(([code, meaning]): HelpEntry => [code, meaning]),
    }),
    createProse(
      'A bulk run exits with 0 when every target is done, with the code of the failure when all targets failed alike or there was only one, and with 8 otherwise. The result of each target is always on stdout.',
      'ttctl sandbox exec exits with the code of the command that it ran: like a shell, with 127 if the command was not found and with 126 if it could not be run.',
    ),
    createSection('Errors', {
      text: 'The error is the last output on stderr: what happened, why, and after "hint:" what to do. With a JSON format it is one JSON object on one line, with a stable code (ttctl help errors), exit, message and hint, and for an error of the service also status and request. For an internal error of ttctl it names a report in the state directory, without secrets, to attach to a bug report.',
    }),
    createSection('In a script', {
      commands: [
        'ttctl timesheets approve --all --period last-week --yes --json > results.json || test $? -eq 8',
        'ttctl jobs list --limit 1',
      ],
    }),
  ],
};
