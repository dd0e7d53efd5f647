import { findEntryId } from '../../changes/jobs.ts';
import { undoEntries } from '../../changes/undo.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { exitCodeFlag, historyFlag, maxChangesFlag, planFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export function undo(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: [
      'ttctl undo 20261121-0900-kfm-3',
      'ttctl undo 20261121-0900-kfm --dry-run',
      'ttctl undo 20261121-0900-kfm --plan undo.ndjson',
    ],
    more: [
      {
        title: 'What can be undone',
        text: 'Updates get their old values back. What has an opposite is reversed, such as archiving people, assigning and submitting. What was created is archived or deleted. Decisions and deletions are final. The help of each write says how it is undone, or why it cannot be.',
      },
      {
        title: 'Changed since',
        text: 'A record that somebody has changed since is left alone (code moved, exit 8) unless you pass --force. An undo is a write like any other: it is in the history and can be undone.',
      },
    ],
    writes: true,
    prints: { shape: 'results' },
    exits: [...SERVICE_EXITS, 8, 9, 10],
    positionals: [
      { name: 'entry', about: 'id of an entry, or of a run for all of its writes', required: true },
    ],
    flags: [
      { name: 'force', about: 'undo even if the record has changed since', unsafe: true },
      exitCodeFlag,
      planFlag,
      maxChangesFlag,
      historyFlag,
    ],
    run: async (context, { targets: [text = ''], options }) =>
      undoEntries(context, await findEntryId(context, text), options),
  });
}
