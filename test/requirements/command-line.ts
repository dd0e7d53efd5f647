import { type Promised, promised, type Requirements } from '../support/proofs.ts';

/** What scripts and people may rely on: names and meanings that do not change. */

const COMMANDS: readonly Promised[] = [
  promised(
    'CLI-1',
    'ttctl <noun> <verb>: the nouns are the groups of the API, a verb means the same everywhere, each operation has a command; archive is a soft delete (delete is its hidden alias), delete is for good; api sends any other call',
    [
      'contract#of each noun are those of the contract',
      'surface#gives every operation a command',
      'habits#of verbs are the same for the same thing: by method of the service',
      'commands/api#never asks, not even before a DELETE',
    ],
  ),
  promised(
    'CLI-2',
    'every command has the same common options and variables; a value comes from the flag, else the environment, else the profile, else the default; there is no built-in address, and a token from the environment needs no file',
    [
      'contract#the options of every command',
      'contract#the variables',
      'contract#hold where nothing else is said',
      'config/settings#for every setting and every mixture of sources',
      'exit-codes#%s: reads and writes work',
    ],
  ),
  promised(
    'CLI-3',
    'data goes to stdout, everything else to stderr; seven formats; a list has all its pages or says that it is incomplete; a write has a result for each target; errors say what happened, why, and what to do, in JSON on one line; one table of exit codes',
    [
      'contract#the exit codes',
      'exit-codes#a refusal of the service',
      'exit-codes#is exit 8 when some failed, and the results are on stdout',
      'commands/every#prints %s that parses, for every command',
      'output/errors#is one line with the members of the contract',
      'output/output#tell an empty and a shortened list',
    ],
  ),
  promised(
    'CLI-4',
    'targets are ids, names or addresses, given as arguments, on stdin, in a file, or as all that match; every row is checked before the first request; what the options do not know can be sent as a raw parameter, field or body; workspace_id travels as docs/service.md says',
    [
      'commands/requests#every request',
      'commands/naming#a person',
      'commands/from-file#is told all together, with file and line, and nothing is sent',
      'changes/write#acts on exactly the ones shown: those that match and are in the right state',
      'api/plan#whose place the document does not state go into query and body of a write',
      'api/plan#lie in layers: --input, then flags, then --field',
      'parsing/calendar#a period',
    ],
  ),
  promised(
    'CLI-5',
    'commands that delete, archive or decide ask first, and without a terminal need --yes; a write of unknown outcome is looked up, never blindly sent again; a run over many targets is a job that can be resumed; the first signal finishes the write in progress, the second leaves at once',
    [
      'changes/write#is asked of one target only where it destroys or decides',
      'writes-once#when %s, the write is sent once: › %s',
      'jobs-process#finishes what is on its way, says how to go on, and that completes it',
      'changes/job-resume#going on answers for the whole job',
      'exit-codes#a state directory that may not be written: single writes go on',
      'changes/pace-text#while it goes on',
    ],
  ),
  promised(
    'CLI-6',
    'all processes of a user with one credential keep one allowance (150 requests a minute, 20 writes a second, or what rate_limit says); a note says when a command waits, and a single command does not have to wait for a bulk run',
    [
      'rate-limit/processes#at full load no request is refused, no time is lost, one is killed, and a single command passes',
      'http/pacing#no strict sliding window is ever exceeded, and everything gets through',
      'http/pacing#waiting is told',
    ],
  ),
  promised(
    'CLI-7',
    'auth login by browser, by token or as a client; the redirect address is the registered one; tokens are stored in a separate file and are renewed in time, by one process for all; auth check warns in advance; a write that the scope forbids is not sent',
    [
      'auth/at-a-terminal#asks for what is missing, opens the browser, ends with a workspace and what to try',
      'commands/auth#tries the token, then stores it 0600 in a 0700 directory, apart from the settings',
      'auth/renewal-together#send one refresh, and none of them fails',
      'auth/scopes#a token that may only read',
      'auth/scopes#the end of a sign-in',
      'commands/auth#says who, where, with what, until when, and whether the service was asked',
    ],
  ),
  promised(
    'CLI-8',
    'a record that already is as a write would make it is unchanged, which is a success: nothing is sent where that is known beforehand; a dry run says which record it is and what would change, and its exit code too, if asked; what cannot be read stops no write',
    [
      'changes/unchanged#a write that is done already › %s',
      'changes/unchanged#is counted apart, in a file of rows, with few requests',
      'changes/unchanged#(%i) leaves the old value out of a dry run, and says so',
      'changes/unchanged#(%i) stops no write',
      'changes/unchanged#--exit-code without --dry-run is refused before any request',
    ],
  ),
  promised(
    'CLI-9',
    'a list as CSV, fed back to update, sends nothing; edited, it sends the edited cells alone; a column that cannot be changed has to be as it was; with the file before it was edited, the edits of others are kept, and a cell that both have changed is a conflict',
    [
      'changes/round-trip#%s: an export that was not edited sends nothing',
      'changes/round-trip#%s: the records are as they were, but for the edited cells',
      'changes/round-trip#sends the edited cells alone, an expense with what it always needs',
      'changes/round-trip#is passed over where it says what the record says, and is a mistake where not',
      'changes/round-trip#keeps what only somebody else has changed',
      'changes/round-trip#fails a row whose cell both have changed, with both values, and sends the others',
      'changes/round-trip#has its columns named with --map, and others passed over with --ignore-columns',
    ],
  ),
  promised(
    'CLI-10',
    'with --plan a write goes to a file in place of the service; plan apply sends exactly the requests of that file, once, and passes over every record that is not as the plan saw it; a plan that is damaged, edited, for another place or applied already, and a change with a secret in it, are refused, and nothing is sent',
    [
      'changes/plan#%s, %s: is sent to the byte, but for what has moved',
      'changes/plan#%s: its plan has the request that it sends itself',
      'changes/plan#is refused wherever a byte of it is another, is lost, or was put in, before anything is sent',
      'changes/plan#is refused with its line where its checksum was made anew: %s',
      'changes/plan#is refused where it is of another %s',
      'changes/plan#is not applied again, by its content, but for --again',
      'changes/plan#where a request has a secret in it: %s',
      'changes/plan#no token, secret or invitation link is in a plan, the history or a journal',
      'jobs-kill#%s: nothing is applied twice, nothing is lost',
    ],
  ),
  promised(
    'CLI-11',
    'every write, single or of a run, refused or raw, is one entry of the history with what it changed and its request id, and nothing else is; what cannot be written down stops no single write; many processes lose no entry, damage loses no other; no secret is in it',
    [
      'changes/history#%s leaves exactly one entry each',
      'changes/history#that is refused with %i leaves one, single or a row',
      'changes/history#%s leaves none',
      'changes/history#takes one read for its old values, and none without the history',
      'changes/history#goes out with the id of its entry',
      'changes/history#has what fits each filter, and all of that',
      'changes/history#stops no single write, of which people are told once; a run over many does not begin',
      'changes/history#cut anywhere in the last entry: the others are whole, and that is unknown or gone',
      'changes/history#eight at once lose no entry, and break no line',
      'changes/history#are in no file of the state directory: token, client secret, invitation link, token of a webhook',
    ],
    'npm run bench:history holds 100,000 entries to 1 s of CPU and 150 MB.',
  ),
  promised(
    'CLI-12',
    'a write is undone by the opposite write, and all is as it was; what was made is archived or deleted; what cannot be undone is refused with the reason; what somebody has changed since is left alone, unless forced; an old value that cannot be set back is said; an undo is a write like any other',
    [
      'changes/undo#%s, and its undo: all is as it was',
      'changes/undo#%s, and its undo: what was made is archived or gone',
      'changes/undo#%s cannot be undone: exit 2 with the reason, and nothing is sent',
      'changes/undo#of %s: undone, all is as it was, but for what is said',
      'changes/undo#is an entry, and can be undone',
      'changes/undo#of a run leaves alone what somebody has changed since; --force does it',
      'changes/undo#can be a plan, which is applied later',
      'changes/undo#that cannot set an empty value back says so, and is not called done',
      'changes/undo#what cannot be undone is refused, and nothing is sent',
      'jobs-kill#%s: nothing is applied twice, nothing is lost',
    ],
  ),
];

export const COMMAND_LINE: Requirements = { 'The contract': COMMANDS };
