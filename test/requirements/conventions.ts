import { type Promised, promised, type Requirements } from '../support/proofs.ts';

/** What people expect of any command line, and where each is proved, or why it is otherwise here. */

const DELIBERATE = 'Deliberately different: ';

const BASICS: readonly Promised[] = [
  promised('BAS-1', 'success exits 0, every failure non-zero', [
    'exit-codes#is a thing done, an empty list, a valid dry run, help and version',
    'main#is that of the contract, and each has a meaning',
  ]),
  promised('BAS-2', 'only data goes to stdout, everything else to stderr', [
    'commands/every#prints %s that parses, for every command',
    'terminal-session#is asked though stdout goes elsewhere, and not a byte of it goes there',
  ]),
  promised('BAS-3', 'an empty result is [] in JSON, a note on stderr in a table, exit 0', [
    'output/formats#is [] for an empty list',
    'output/output#tell an empty and a shortened list',
    'exit-codes#is a thing done, an empty list, a valid dry run, help and version',
  ]),
  promised('BAS-4', '| head -1 ends quietly', [
    'exit-codes#that nobody reads to its end ends quietly: | head -1',
  ]),
  promised('BAS-5', 'every command prints what changed, and the id', [
    'habits#of a write prints what became of it, for every write',
    'output/results#say what the target is, as far as the line has room',
  ]),
  promised('BAS-6', 'a write ends with the next useful command, on a terminal only', [
    'terminal-session#says whose it is and what comes next; a script is told neither',
  ]),
  promised('BAS-7', 'a command never waits silently for a terminal on stdin', [
    'habits#%s does not wait for what nobody pipes in',
  ]),
];

const HELP: readonly Promised[] = [
  promised('HLP-1', 'every usual way to ask for help works and exits 0', [
    'commands/every#is asked for in every usual way, and wins over bad flags and missing arguments',
    'main#%j means %j',
  ]),
  promised('HLP-2', '-h wins over other flags and missing arguments, with no request and no settings', [
    'help/mistakes#wins in %j',
    'commands/bad-input#wins over every one of them',
    'commands/bad-input#that is damaged keeps nobody from help and version',
  ]),
  promised('HLP-3', 'a group without a verb lists its commands and exits 2', [
    'help/mistakes#show what there is on stderr, and end as wrong usage',
  ]),
  promised('HLP-4', 'every command has an example, with long flags only, that parses', [
    'commands/every#of %s has an example and fits 80 columns',
    'commands/every#examples',
  ]),
  promised('HLP-5', 'help leads with one line, then usage, examples, flags; fits 80 columns', [
    'help/pages#$path: examples, what it prints, how it ends, and what every flag means',
    'help/pages#fits %i columns, but for words that are longer',
  ]),
  promised('HLP-6', 'help names the scope, the endpoint, and whether it writes', [
    'help/pages#says what is sent, whether that writes, with which scope, and who may',
  ]),
  promised('HLP-7', 'an unknown word suggests the nearest one and does not run it', ['help/mistakes#by %j']),
  promised('HLP-8', 'help in a pipe has no colour and no pager', [
    'help/pages#has nothing that steers a terminal, and bold headings where there is colour',
    'commands/every#of %s has an example and fits 80 columns',
  ]),
  promised('HLP-9', 'there are topics for environment, exit codes, output, profiles, limits', [
    'help/topics#are those that are promised, and each is loaded by its name',
  ]),
  promised('HLP-10', 'help gives a web address and where to report bugs', [
    'help/pages#names the address and where faults are reported where the package has them, else nothing',
  ]),
  promised('HLP-11', 'manual pages come from the same source', [
    'help/manual#is what lies in man/, and what the package lists',
  ]),
  promised('HLP-12', 'descriptions have one style', [
    'help/pages#of $path begin with a verb, in lower case, with no full stop',
    'help/pages#of flags, positionals, nouns and topics are phrases: lower case, no full stop, one line',
  ]),
  promised('VER-1', '--version, -V and version print one line', ['help/mistakes#%s is one line']),
  promised('VER-2', 'version --json has version, Node, platform, path', [
    'help/mistakes#%s says what a report needs',
  ]),
];

const ARGUMENTS: readonly Promised[] = [
  promised('ARG-1', 'every flag has a long form; single letters are few', [
    'habits#of flags are long everywhere; single letters are for every command alone',
  ]),
  promised(
    'ARG-2',
    'standard names of flags',
    ['help/mistakes#by %j'],
    `${DELIBERATE}-n, -o, -q, -y and --no-input are as usual; --all, --debug and --yes have no letter or another name, and -v, -f, --verbose and --force are told apart by a suggestion`,
  ),
  promised('ARG-3', 'flags before or after arguments, --flag=value, short ones in groups', [
    'habits#may be written as %j',
    'habits#may name a flag behind the target, and a target that begins with a hyphen behind --',
  ]),
  promised('ARG-4', '-- ends the flags; a value may begin with a hyphen', [
    'habits#may name a flag behind the target, and a target that begins with a hyphen behind --',
    'help/mistakes#is not asked for behind --, nor as part of a value',
  ]),
  promised(
    'ARG-5',
    '- is stdin for input files',
    [
      'commands/from-file#come from stdin',
      'commands/api#takes a whole body from stdin, of any JSON; fields lie over an object',
      'changes/write#come from stdin, one a line: BOM, CRLF, blanks and empty lines are fine',
    ],
    'No flag names an output file: data goes to stdout.',
  ),
  promised('ARG-6', 'at most one kind of positional', [
    'habits#are not two kinds at once: one kind of argument a command, but for a call and its path',
  ]),
  promised('ARG-7', 'secrets are never flag values', [
    'auth/secrets#no secret is shown or left',
    'auth/login#takes the secret, then the address, from stdin',
    'commands/bad-input#never repeats a token',
  ]),
  promised('ARG-8', 'flags that contradict each other are wrong usage', ['commands/bad-input#bad input']),
  promised('ARG-9', 'several values: repeated, or with commas, the same everywhere', [
    'habits#may give several values as %s',
    'openapi#tells of a command all that a program needs to call it',
  ]),
  promised(
    'ARG-10',
    'switches have a --no- form where their default is true',
    ["config/settings#commander's defaults of --no- options are no wishes"],
    'Every switch but --no-color, --no-header, --no-input, --no-journal, --no-workspace, --no-browser and --no-pkce is off by default.',
  ),
  promised(
    'ARG-11',
    'choices, dates and numbers are checked before any request, and the error says what is allowed',
    [
      'commands/bad-input#bad input',
      'help/mistakes#with flags of every command and of this one is told together',
    ],
  ),
  promised('ARG-12', 'no hidden abbreviations of commands or flags', ['help/mistakes#by %j']),
  promised(
    'ARG-13',
    'names can be used in place of ids; an ambiguous name is refused, and the candidates are listed',
    [
      'commands/requests#that matches none is exit 5, several exit 2 with the candidates',
      'commands/from-file#names of several are wrong usage, with the candidates',
    ],
  ),
];

const OUTPUT: readonly Promised[] = [
  promised('OUT-1', '--output works on every command', [
    'commands/every#prints %s that parses, for every command',
  ]),
  promised('OUT-2', 'JSON is one valid document, with no colour', [
    'output/formats#is one document with the records as they came',
    'output/formats#writes a long list in pieces of the same document',
  ]),
  promised(
    'OUT-3',
    'CSV is RFC 4180, with a heading, UTF-8, formulas made harmless, --no-header',
    [
      'output/formats#comes back whole through a parser',
      'output/formats#makes formulas harmless and leaves numbers alone',
    ],
    `${DELIBERATE}formulas are always made harmless, and no byte order mark is written.`,
  ),
  promised('OUT-4', 'one row per record; in a pipe, no borders and nothing cut', [
    'output/table#in a pipe is aligned, whole and absolute',
    'output/table#in a pipe is aligned over all pages and cuts nothing',
  ]),
  promised(
    'OUT-5',
    '--columns, --sort, --no-header work on every list',
    ['output/output#by %s over all pages', 'output/messy#has what an option names, in every format'],
    `${DELIBERATE}filters are flags of their own and --query; a pipe or another format is not cut, so that there is no --no-truncate.`,
  ),
  promised('OUT-6', 'no list is shortened silently', [
    'api/pages#stops at --limit and says that there is more',
    'output/output#tell an empty and a shortened list',
  ]),
  promised(
    'OUT-7',
    'colour is decided per stream; the flag overrides the environment',
    ['config/colour#%s', 'help/pages#is bold on a terminal, not with NO_COLOR, and narrow on a narrow one'],
    `${DELIBERATE}FORCE_COLOR turns colour on; there is no --color=always.`,
  ),
  promised('OUT-8', 'an empty NO_COLOR does not count', ['config/colour#%s']),
  promised('OUT-9', 'nothing is expressed by colour alone; symbols have an ASCII form', [
    'inbox-session#has no colour with NO_COLOR, and tells decisions by their marks',
    'output/table#writes states in colour and in words',
    'output/results#have ASCII signs where the terminal has no other',
    'habits#a locale without UTF-8 gets signs that it has',
  ]),
  promised('OUT-10', 'no progress in a pipe or in CI', [
    'output/progress#is one line, drawn seldom, on a terminal only',
    'output/reading-progress#is not drawn in a pipe',
  ]),
  promised(
    'OUT-11',
    'a pager only on a terminal',
    ['help/topics#are those that are promised, and each is loaded by its name'],
    'There is no pager (ttctl help output says so): tables are fitted to the terminal, and less is one word away.',
  ),
  promised(
    'OUT-12',
    'times carry an offset; durations are h:mm for people',
    ['output/datetime#absolute', 'output/quantity#hours'],
    `${DELIBERATE}JSON has the record as the service sent it.`,
  ),
  promised('OUT-13', 'with --quiet errors still appear', [
    'output/output#are left out with --quiet and JSON; warnings only with --quiet',
  ]),
  promised('OUT-14', 'long lists stream', ['output/formats#write the first page before the second is there']),
];

const ERRORS: readonly Promised[] = [
  promised('ERR-1', 'an expected error is short: what, why, what to do; no stack', [
    'output/errors#says what, why, and last what to do',
  ]),
  promised('ERR-2', 'JSON form on stderr when JSON is asked for', [
    'output/errors#is one line with the members of the contract',
    'help/mistakes#is one JSON object in JSON',
  ]),
  promised('ERR-3', 'messages of the service are passed on in full', [
    'api/reply#%i is %s, exit %i, in the words of the service',
    'exit-codes#of the framework keeps the errors of its fields',
  ]),
  promised('ERR-4', '401 names the profile, where the token came from, and the command', [
    'habits#of 401 names the profile, where the token came from, and what to do',
    'auth/session#that is missing is exit 3, with the command that gets one',
  ]),
  promised('ERR-5', '403 names the scopes needed and held', ['exit-codes#for its scope names the scopes']),
  promised('ERR-6', '404 names what was looked for, where, and hints at archived ones', [
    'habits#of 404 names what was looked for, where, and that it may be archived',
  ]),
  promised('ERR-7', '429 says how long it waits, and what to do after it', [
    'output/progress-indicator#draws what has come of it until it ends, and what is waited for, counted down',
    'rate-limit/shared-budget#a wait is told once, though it is slept in parts',
    'http/retry#a wait that does not fit is not begun',
  ]),
  promised('ERR-8', 'network errors show cause, host and proxy', [
    'wire/not-sent#a name that cannot be found',
    'wire/not-sent#connection refused',
    'wire/not-sent#a proxy that cannot be reached',
    'wire/tls#a certificate that is not trusted ends before anything is sent',
  ]),
  promised('ERR-9', 'an internal error is one line, with a log without secrets and how to report it', [
    'platform/fault-report#is one line, and the file that is named says where it broke, to this user alone',
    'platform/fault-report#has no secret in it, be it in the words, the message or the cause',
  ]),
  promised('ERR-10', 'what to do comes last; no "Error: Error:"', [
    'output/errors#says what, why, and last what to do',
    'output/errors#is one line where there is no more to say',
  ]),
  promised('ERR-11', 'usage errors are found before the sign-in is checked', [
    'commands/bad-input#bad input',
    'help/mistakes#all that is wrong',
  ]),
  promised('EXT-1', 'one table of exit codes, printed by a topic, each tested', [
    'main#is that of the contract, and each has a meaning',
    'help/topics#of exit-codes are the one table',
  ]),
  promised('EXT-2', 'each code means what the table says', [
    'exit-codes#a refusal of the service',
    'exit-codes#exit 7',
    'exit-codes#exit 1',
  ]),
  promised('EXT-3', 'a partial failure is never 0', [
    'exit-codes#is exit 8 when some failed, and the results are on stdout',
  ]),
  promised('EXT-4', 'SIGINT is 130, SIGTERM 143', [
    'exit-codes#%s drops a read: exit %i',
    'exit-codes#SIGTERM finishes a write in flight, begins no other, and says so',
  ]),
  promised('EXT-5', 'a cancelled prompt does not exit 0', [
    'terminal-session#a question ends at once, the terminal restored, with',
    'changes/write#that is declined sends nothing',
  ]),
  promised('EXT-6', 'a dry run exits 0 when valid, else with the code of what is wrong', [
    'exit-codes#is a thing done, an empty list, a valid dry run, help and version',
    'commands/from-file#--dry-run shows every row and asks nothing',
  ]),
];

const INTERACTION: readonly Promised[] = [
  promised('INT-1', 'prompts only in a terminal, not in CI and not with --no-input', [
    'terminal-session#is not asked with %s',
    'terminal-session#is not asked when stdin is no terminal',
  ]),
  promised('INT-2', 'without a terminal a missing value is a usage error that names its flag', [
    'api/plan#that are needed and missing are all named, by their flags',
    'auth/login#missing values: exit 2, all flags named',
  ]),
  promised('INT-3', 'every prompt has a flag', ['auth/login#missing values: exit 2, all flags named']),
  promised('INT-4', 'secrets are not shown while being typed', [
    'terminal-session#is not shown while it is typed, and is stored',
  ]),
  promised(
    'INT-5',
    'ordinary confirmations are y/N; severe ones ask for a name',
    [
      'terminal-session#shows account, workspace, how many and a sample; Enter alone means no',
      'auth/at-a-terminal#is written to once its name is typed',
    ],
    `${DELIBERATE}a profile that is protected asks for its name; all other questions are y/N, and --max-changes bounds them.`,
  ),
  promised('INT-6', '--yes answers confirmations only', ['changes/write#%s are wrong usage']),
  promised('INT-7', 'a confirmation shows account, workspace, count and a sample', [
    'terminal-session#shows account, workspace, how many and a sample; Enter alone means no',
  ]),
  promised('INT-8', 'Ctrl-C says what was done and how to continue; a second one exits at once', [
    'jobs-process#finishes what is on its way, says how to go on, and that completes it',
    'jobs-process#twice leaves at once, and nothing is lost',
  ]),
  promised(
    'INT-9',
    'EDITOR is honoured',
    [],
    'No text is edited: a reason is one line, and what is longer comes from a file (--input, --from-file). ttctl help environment says so.',
  ),
];

const SAFETY: readonly Promised[] = [
  promised('SAF-1', '--dry-run on every write; no write leaves', [
    'commands/every#%s lets no write leave under --dry-run: %s',
    'http/dry-run#%s does not leave the process',
  ]),
  promised('SAF-2', 'a dry run prints method, path and body, secrets masked, also in JSON', [
    'help/outputs#%s plans what the schema allows: %s',
    'http/dry-run#secrets are masked, wherever they stand',
  ]),
  promised('SAF-3', 'nothing that destroys has a default target', ['changes/write#%s are wrong usage']),
  promised('SAF-4', 'a write of unknown outcome is not sent again; a read is', [
    'http/retry#$method after $name: sent $times time(s)',
    'writes-once#when %s, the write is sent once: › %s',
    'writes-once#after 429 the write is sent again and done: › %s',
    'writes-once#a program that retries blindly',
  ]),
  promised('SAF-5', 'a soft delete says how to undo it', [
    'changes/write#says how to take it back, only of what is done',
  ]),
  promised('SAF-6', 'all rows are checked before the first write; mistakes are reported with their line', [
    'commands/from-file#is told all together, with file and line, and nothing is sent',
  ]),
  promised('SAF-7', 'each bulk command prints its template; failed rows can be fed back', [
    'commands/from-file#takes its rows from a file, and prints the heading of one without a service',
    'changes/job-resume#are in a file that can be corrected and fed back; a job is not gone on with for them',
  ]),
  promised('SAF-8', 'a run can be resumed, but not with a changed file', [
    'jobs-kill#%s: nothing is applied twice, nothing is lost',
    'changes/job-resume#an input file that changed is refused',
  ]),
  promised('SAF-9', 'what is decided is what was shown', [
    'changes/write#acts on exactly the ones shown: those that match and are in the right state',
    'changes/write#reads the list once: what changes while a person thinks is not acted on',
  ]),
];

const SETTINGS: readonly Promised[] = [
  promised('CFG-1', 'flag, environment, profile, default; profile show says which one applies', [
    'config/settings#for every setting and every mixture of sources',
    'commands/profile#says of each value where it comes from: flag, then environment, then profile, then default',
  ]),
  promised('CFG-2', 'XDG places, kept apart; relative ones ignored; Windows and macOS documented', [
    'config/paths#the XDG places, but not relative or empty ones',
    'config/paths#Windows',
    'config/paths#macOS',
    'help/topics#of environment are the table of variables, and the places',
  ]),
  promised(
    'CFG-3',
    'what the tool did not create is not changed without asking',
    [
      'config/store#keeps a symbolic link and replaces its target',
      'config/store#keeps what it does not know, closes the file, keeps the previous version',
    ],
    'Settings of a shell are never written: completion prints its script.',
  ),
  promised('CFG-4', 'secrets are 0600 in 0700, written atomically', [
    'auth/credentials#0600 in a 0700 directory under umask %i, with the previous generation',
    'storage/write#has a whole file in place at every step',
  ]),
  promised('CFG-5', 'broken settings give file, line and a way out; help and version still work', [
    'commands/bad-input#%s is told with its place',
    'commands/bad-input#that is damaged keeps nobody from help and version',
    'config/store#names the previous version when that is good, and only then',
  ]),
  promised(
    'CFG-6',
    'one prefix of variables; the usual ones honoured',
    [
      'habits#of variables begin with TTCTL_, but for those that all programs share',
      'http/proxy-rules#upper case counts where lower case is not set',
    ],
    `${DELIBERATE}DEBUG is TTCTL_DEBUG; nothing is paged or edited.`,
  ),
  promised('CFG-7', 'the cache may be deleted at any time', [
    'completion/cache#may be deleted: what is static is still there, and nothing is said',
    'bootstrap/compiled-code#is not needed',
  ]),
  promised(
    'CFG-8',
    'settings have a version and migrate with a backup',
    [
      'config/store#of a newer ttctl is left to that one, whole',
      'config/store#keeps what it does not know, closes the file, keeps the previous version',
    ],
    'There has been one version only, so that there is nothing to migrate.',
  ),
];

const SIGNING_IN: readonly Promised[] = [
  promised('AUT-1', 'auth status says all of it, and whether the service was asked', [
    'commands/auth#says who, where, with what, until when, and whether the service was asked',
  ]),
  promised('AUT-2', 'several processes that renew at the same time all stay signed in', [
    'auth/renewal-together#send one refresh, and none of them fails',
    'auth/renewal-together#sends more than one refresh: this test can tell',
  ]),
  promised('AUT-3', 'a token appears nowhere', [
    'auth/secrets#no secret is shown or left',
    'commands/every#%s shows no secret under --debug: %s',
    'completion/cache#are kept without secrets',
  ]),
  promised('AUT-4', 'works with a token from the environment, no HOME, a read-only disk', [
    'exit-codes#%s: reads and writes work',
    'exit-codes#no HOME: nothing is written anywhere near',
    'exit-codes#a state directory that may not be written: single writes go on',
  ]),
  promised('AUT-5', 'the loopback server accepts only this machine, checks requests, and stops', [
    'auth/hostile#only this machine is listened at',
    'auth/hostile#1,000 hostile requests and 50 half-open connections',
    'auth/login#the port in use: exit 3 at once, and never another port',
    'auth/sign-in-limit#ends after 300 s with exit 3, tells of strangers, and frees the port',
  ]),
  promised('AUT-6', 'signing in again keeps profile, client id and secret', [
    'auth/login#again keeps profile, client, secret and settings',
  ]),
  promised('AUT-7', 'signing out removes secrets and says what remains valid at the service', [
    'commands/auth#removes the secret everywhere, and keeps the other profiles and the settings',
    'commands/auth#says what is still valid at the service',
  ]),
  promised('AUT-8', 'no redirect takes the token elsewhere', [
    'exit-codes#and no redirect is followed',
    'wire/send#redirects are not followed',
  ]),
];

const ROBUST: readonly Promised[] = [
  promised(
    'ROB-1',
    'first output within 100 ms, command started within 500 ms',
    [
      'auth/start-up#loads no part of OAuth2 on the way of an ordinary command',
      'bootstrap/parts#keeps what was compiled for this user alone, and takes it the next time',
    ],
    'Times are measured by npm run bench, as ratios: a test by the clock fails on a busy machine.',
  ),
  promised('ROB-2', 'anything longer than a second shows progress in a terminal, with an estimate', [
    'habits#a list that takes long says how far it has come, while its rows go elsewhere',
    'habits#one request that takes long is told while it lasts, unless nobody is to be told',
    'output/progress-indicator#tells a request after a second, and the next when the first is answered',
    'output/reading-progress#is drawn on a terminal while the rows go elsewhere, and taken away',
    'output/reading-progress#tells rows, of how many, and how long it goes on at this pace',
    'changes/pace-text#tells done, failed, left, rate, and the time that the limits still take',
  ]),
  promised('ROB-3', 'every request has a configurable timeout', [
    'wire/send#the deadline holds for the whole answer, however it drips',
    'exit-codes#is a service that is not there, cuts, or does not answer',
  ]),
  promised('ROB-4', 'Retry-After is honoured, bounded by a flag', [
    'http/retry#Retry-After is kept to exactly',
    'http/retry#the waits of one request are bounded together',
    'http/retry#faults are tried 3 times more, with growing waits',
  ]),
  promised('ROB-5', 'concurrent output does not interleave', [
    'changes/write#come in the order given, though the answers do not',
    'api/pages#keeps the order when a later page is answered first',
    'event-log#has each line of processes that share it whole: xargs -P 8',
  ]),
  promised('ROB-6', 'a crash leaves no half-written file', [
    'storage/write#has a whole file in place at every step',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the test that is named
    'jobs-kill#a run killed at random instants (TTCTL_SEED=${SEED})',
    'webhooks-kill#keeps every delivery that it answered, once',
  ]),
  promised('ROB-7', 'works with closed streams, full disks, no HOME, no TERM, 40 columns, other locales', [
    'exit-codes#stdin, stdout or stderr closed',
    'exit-codes#is a full disk under %s, and it is said',
    'exit-codes#%s: reads and writes work',
    'output/messy#at 40 gives up the id, cuts nothing but the name, and tells what is hidden',
    'inbox-session#works in 40 columns',
    'habits#a locale without UTF-8 gets signs that it has',
  ]),
  promised('ROB-8', 'CSV with BOM, CRLF, ;, newlines in quotes, a heading twice, blank lines', [
    'changes/input#CSV',
    'changes/input#quoted newlines, separators and quotes belong to the cell; lines are still counted',
    'changes/input#%s, however they come',
    'habits#with a heading that is there twice is refused',
  ]),
  promised(
    'ROB-9',
    'a JSON body from a file, stdin or flags',
    [
      'commands/requests#is the body; flags lie over it, workspace_id is added',
      'commands/api#takes a whole body from stdin, of any JSON; fields lie over an object',
    ],
    `${DELIBERATE}a file is named by --input, without @.`,
  ),
  promised('ROB-10', 'a raw path works in Git Bash', [
    'commands/api#takes a path as Git Bash leaves it alone, and says so of one that it has made a file',
  ]),
  promised('ROB-11', 'proxies and a private certificate authority', [
    'wire/tls#a certificate authority of one’s own works by NODE_EXTRA_CA_CERTS',
    'http/proxy-rules#which proxy',
  ]),
  promised('ROB-12', 'unknown fields stay in JSON; missing ones break no table', [
    'habits#are rows of a table, for every list',
    'api/reply#is kept whole, unknown members too',
  ]),
  promised('ROB-13', 'clock skew and summer time', [
    'parsing/calendar#%s does not exist in %s',
    'parsing/calendar#has the offset that the zone has at that moment',
    'http/retry#a date counts from the answer’s own time, not from a clock that may be wrong',
    'commands/doctor#tells how far the clock is off',
  ]),
];

const NAMES: readonly Promised[] = [
  promised('SUB-1', 'noun, then verb; the same verbs everywhere', [
    'habits#of verbs are the same for the same thing: by method of the service',
  ]),
  promised('SUB-2', 'names are lower case with hyphens', [
    'habits#of commands and flags are lower case with hyphens',
  ]),
  promised('SUB-3', 'a flag means the same in all commands', [
    'habits#of flags mean one thing: with a value, or without, in every command',
  ]),
  promised(
    'SUB-4',
    'old names stay as hidden aliases',
    ['completion/tree#every command by its words, and every other name of one'],
    'Nothing has been renamed since the first release; delete for archive is an alias, and its result says that it was archived.',
  ),
  promised('SUB-5', 'no command that takes every word', ['help/mistakes#by %j']),
  promised('CMP-1', 'bash, zsh, fish, PowerShell; the line to install in help', [
    'completion/scripts#is printed whole, and nothing else',
    'completion/scripts#has its install line in the help of its command, within 80 columns',
  ]),
  promised(
    'CMP-2',
    'live values from a cache; static words when offline or signed out; exit 0',
    [
      'completion/cache#is what is offered next, with names; archived people only to be restored',
      'completion/terminals#gives static words with broken settings and wrong variables',
      'completion/terminals#ends well and says nothing on stderr: %j',
    ],
    'How long it takes is measured by npm run bench.',
  ),
  promised('CMP-3', 'completion sends no requests, renews nothing, and writes no settings', [
    'completion/cache#asks nothing of the service, and writes nothing, when it is completed',
  ]),
  promised('CMP-4', 'spaces, colons and quotes survive', [
    'completion/quoting#makes the value again of what is put in %s',
    'completion/terminals#%s is completed',
  ]),
  promised('CMP-5', 'every command and flag is reached', [
    'completion/tree#every command by its words, and every other name of one',
    'completion/tree#every flag of every command, long and short',
  ]),
];

const OTHERS: readonly Promised[] = [
  promised(
    'UPD-1',
    'a notice of updates only on a terminal',
    [],
    'ttctl does not look for newer versions: it contacts only the service that a person names. ttctl help environment says so.',
  ),
  promised('UPD-2', 'no self-update', [], 'There is no command for it, and ttctl never does it.'),
  promised(
    'TEL-1',
    'no telemetry',
    [
      'commands/every#against a service',
      'architecture#give each package one importing file, types too, and commands none',
    ],
    'Requests leave by http/ alone, to the address of the profile.',
  ),
  promised('PKG-1', 'one command installs it, one removes it; what is left behind is documented', [
    'newcomer#makes a file that is installed without a warning, and works',
    'help/topics#of environment are the table of variables, and the places',
  ]),
  promised('PKG-2', 'runs on the oldest supported Node; a friendly message on an older one', [
    'nodes#the main job is done',
    'nodes#%s, it says which is needed',
  ]),
  promised('PKG-3', 'removals are announced one major version ahead', [], 'Nothing has been removed yet.'),
  promised('AGT-1', 'the whole command tree as JSON', [
    'openapi#prints every command there is',
    'openapi#tells of a command all that a program needs to call it',
    'help/outputs#tells of flags: type, default, words, whether they may be repeated or are needed',
  ]),
  promised(
    'AGT-2',
    'the JSON Schema of each output, of errors, results, jobs and log lines; every key is in it',
    [
      'schemas#name every key of every command, in JSON and NDJSON, of every error, and of every line of the log',
      'schemas#of errors, results, jobs and log lines say their version',
      'help/outputs#prints the JSON Schema of an output, and refuses a noun',
      'help/outputs#%s has the shape and the schema that it names: %s',
    ],
  ),
  promised('AGT-3', 'CI disables prompts and progress, and leaves the data unchanged', [
    'terminal-session#is not asked with %s',
    'output/output#are left out with --quiet and JSON; warnings only with --quiet',
  ]),
  promised('AGT-4', 'destructive commands need --yes without a terminal', [
    'commands/auth#asks: without a terminal it needs --yes',
    'changes/write#is asked of one target only where it destroys or decides',
  ]),
  promised('AGT-5', 'the size of an output can be bounded', [
    'api/pages#stops at --limit and says that there is more',
    'output/formats#reduces and reorders with --columns, also of one record',
  ]),
];

export const CONVENTIONS: Requirements = {
  'Basics and streams': BASICS,
  Help: HELP,
  'Arguments and flags': ARGUMENTS,
  Output: OUTPUT,
  'Errors and exit codes': ERRORS,
  Questions: INTERACTION,
  'Safe writes': SAFETY,
  Settings: SETTINGS,
  'Signing in': SIGNING_IN,
  Robustness: ROBUST,
  'Names and completion': NAMES,
  Others: OTHERS,
};
