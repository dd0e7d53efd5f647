import { type Promised, promised, type Requirements } from '../support/proofs.ts';

/** Reliability and security, and where each is proved. */

const SIGN_IN: readonly Promised[] = [
  promised('A1', 'listens on the loopback address of the redirect address, and on no other port', [
    'auth/hostile#only this machine is listened at',
    'auth/login#the port in use: exit 3 at once, and never another port',
    'auth/login#the redirect address %j: exit 2',
  ]),
  promised('A2', 'state and PKCE; hostile requests get 4xx, and the wait continues', [
    'auth/hostile#1,000 hostile requests and 50 half-open connections',
    'auth/hostile#that comes five times at once is exchanged once',
    'auth/login#leaves PKCE out with --no-pkce',
    'auth-browser#with another state: refused, and the wait goes on',
    'auth/loopback#is cut after 5 s, and looked for every second',
  ]),
  promised('A3', 'a denial with the right state ends it within a second', [
    'auth/login#denied: a plain page, exit 3 at once',
  ]),
  promised('A4', 'never hangs; 300 s at most; Ctrl-C frees the port', [
    'auth/login#no terminal: exit 2 at once, with the other ways',
    'auth/login#%s: ends within two seconds and frees the port',
    'auth/sign-in-limit#ends after 300 s with exit 3, tells of strangers, and frees the port',
    'auth/login#a stdin that ends at once does not end the wait: the browser may come',
  ]),
  promised('A5', 'pages are escaped and never cached; no code in the address bar', [
    'auth/login#shows pages that keep nothing: no code in the address bar, no cache, no referrer',
    'auth/hostile#has its text escaped in the page',
    'auth-browser#approved: signed in, the code not in the address bar, and it works',
  ]),
  promised('A6', 'only https, or http on loopback, is opened, through argv', [
    'auth/at-a-terminal#asks for what is missing, opens the browser, ends with a workspace and what to try',
    'config/settings#%s is refused',
  ]),
  promised(
    'A7',
    'the token host: no redirects, small JSON, a time limit; otherwise the stored credential is kept',
    [
      'auth/login#%s from the token host: exit 7, what is stored stays',
      'auth/renewal#leaves what is stored byte for byte: %s',
    ],
  ),
];

const TOKENS: readonly Promised[] = [
  promised('B1', '64 processes, one refresh', [
    'auth/renewal-together#64 processes with one token that is %s',
    'auth/renewal-together#send one refresh, and none of them fails',
    'auth/renewal-together#sends more than one refresh: this test can tell',
    'auth/renewer#of many who wait while the token host answers 503, one asks, and all are told',
  ]),
  promised('B2', 'kills during a refresh lose no sign-in', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the test that is named
    'auth/renewal-killed#loses no sign-in, breaks no file, leaves no lock, in ${KILLS} kills',
    'auth/renewal-killed#would lose some if the process that renews were killed too: this test can tell',
  ]),
  promised(
    'B3',
    'on a full or read-only disk the file is either old or new, never partial, and the error says so',
    [
      'auth/renewal-disk#keeps the old sign-in whole, unasked, or has the new one',
      'auth/renewal-disk#that is read-only asks nobody, and uses the token that still works',
      'auth/renewal-disk#because of %s: exit 1, nobody is asked, all as it was',
      'storage/write#keeps the old file whole at every size',
      'auth/credentials#writes into space that was reserved before',
    ],
  ),
  promised('B4', 'a damaged file is an error or its backup, never a silent sign-out', [
    'auth/credentials#%s: an error, never "signed out"; the bytes stay',
    'auth/credentials#cut or changed anywhere: whole, or an error that shows no secret',
    'auth/credentials#names the backup when that is good, and only then',
  ]),
  promised(
    'B5',
    'a refused refresh: the file is read again, the credential is marked, and its bytes are kept',
    [
      'auth/renewal#ends the sign-in: exit 3 with the command, marked dead, its bytes kept',
      'auth/session#a token that another process has stored meanwhile is tried',
    ],
  ),
  promised('B6', 'network failures never sign out', [
    'auth/renewal#never signs out: %s',
    'auth/renewal#is only a warning while the token still works',
  ]),
];

const SECRETS: readonly Promised[] = [
  promised('C1', 'secrets are shown and stored nowhere', [
    'auth/secrets#no secret is shown or left',
    'http/redact#does not get through as %s',
    'http/trace#tells the request and its answer, without secrets',
    'commands/every#%s shows no secret under --debug: %s',
    'commands/every#%s has every request in its log, and no secret: %s',
    'main#hides every known secret, whatever prints it',
    'changes/job-resume#a secret among the values is not stored, and the row is left to be run again',
    'platform/fault-report#has no secret in it, be it in the words, the message or the cause',
  ]),
  promised(
    'C2',
    '0700 and 0600 under any umask; files that others can write to are refused or made private',
    [
      'auth/credentials#0600 in a 0700 directory under umask %i, with the previous generation',
      'auth/credentials#a symbolic link is refused for reading and writing, its target untouched',
      'auth/credentials#one that others can read is closed, with a warning',
      'storage/write#refuses a file of another user',
      'storage/write#makes all of it 0700 under umask %i',
    ],
  ),
  promised('C3', 'a token goes only to its own origin; secrets are hidden in tables', [
    'auth/session#a stored token never goes to another origin:',
    'auth/session#a sandbox token is not sent to',
    'wire/send#redirects are not followed',
    'output/table#hides secrets from people only',
    'commands/webhooks#the token of a webhook',
  ]),
];

const LIMITS: readonly Promised[] = [
  promised('D1', 'one ledger for all processes: no 429, little lost; damage costs nothing', [
    'rate-limit/processes#at full load no request is refused, no time is lost, one is killed, and a single command passes',
    'rate-limit/processes#with no ledger the same load is refused',
    'rate-limit/shared-budget#together exceed no strict window, whatever comes between a look and a claim, and all get through',
    'rate-limit/ledger#a ledger that goes bad is no error',
  ]),
  promised('D2', 'Retry-After is always respected, is shared, and is bounded', [
    'http/retry#Retry-After is kept to exactly',
    'rate-limit/shared-budget#a refusal holds the other processes back, never shorter than asked',
    'http/retry#a wait that does not fit is not begun',
  ]),
  promised('D3', 'the retry table', [
    'http/retry#what is sent again',
    'http/retry#over random faults no write reaches the service twice but after proof, and no wait is over the bound, or shorter than asked',
    'writes-once#a program that retries blindly',
  ]),
  promised('D4', 'an unavailable service is not flooded with requests', [
    'http/retry#a dead service is not stormed',
    'changes/job-resume#is not stormed: the rest is left',
  ]),
];

const BULK: readonly Promised[] = [
  promised('E1', 'the journal is on disk before the request, a torn line is ignored, one lock per job', [
    'changes/departure#each row is written, then flushed, then sent',
    'storage/journal#nothing goes behind half a line, and every later line is refused',
    'changes/job-journal#gives the state of its whole lines, and what was about to go out is never forgotten',
    'changes/job-journal#can be written on, and says then what it would have said',
    'jobs-process#a job is gone on with by one process at a time',
    'jobs-kill#whose journal forgets what it was sending is found out',
  ]),
  promised('E2', 'rows of unknown outcome are looked up', [
    'changes/send#a write whose answer is lost',
    'changes/reconciliation#$command → $become',
    'changes/job-resume#that still cannot be seen stay unknown, and are not sent',
  ]),
  promised('E3', 'random kills: nothing is done twice or lost', [
    'jobs-kill#%s: nothing is applied twice, nothing is lost',
  ]),
  promised('E4', 'the counts add up to the rows', [
    'changes/job-resume#is on record, with what became of every row',
    'changes/write#the end of a run',
  ]),
];

const OUTPUT: readonly Promised[] = [
  promised('F1', 'one sanitiser; no line that a CI runner obeys', [
    'output/safe-text#lets nothing through that steers a terminal',
    'output/safe-text#gives a CI runner no line to obey',
    'commands/runner-marks#is inert in %s with %j, for every command',
    'commands/runner-marks#what a webhook brings, and what a command says of it, is inert in every format',
    'auth/hostile#cannot steer the terminal',
    'webhooks-listen#makes what comes harmless to a terminal',
  ]),
  promised('F2', 'JSON parses back to the same, controls escaped', [
    'output/safe-text#is plain to look at, and parses back to the same value',
  ]),
  promised(
    'F3',
    'formulas are made harmless, numbers are unchanged, and our importer restores the original',
    [
      'output/spreadsheet-cell#gives back what it was given, and never leaves a formula',
      'changes/input#is the identity, however it is cut',
      'commands/runner-marks#is what it was once the CSV is read by --from-file',
    ],
  ),
  promised('F4', 'columns align with wide and combining characters', [
    'output/table#aligns every text, and never leaves the width',
    'output/messy#never cuts an id at any width, and stays aligned',
  ]),
];

const PROCESS: readonly Promised[] = [
  promised('G1', 'a closed pipe ends quietly, a full disk is an error, a slow pipe loses nothing', [
    'exit-codes#that nobody reads to its end ends quietly: | head -1',
    'exit-codes#is a full disk under %s, and it is said',
    'exit-codes#of 20 MB through a slow pipe is whole',
    'architecture#is never left with process.exit',
  ]),
  promised('G2', 'a question ends at once, the terminal restored', [
    'terminal-session#a question ends at once, the terminal restored, with',
    'output/prompt#ends with %s, the terminal restored',
    'output/prompt#ends at once when the input is closed already, and with the signal',
  ]),
  promised('G3', 'an overall deadline, a size limit, typed errors', [
    'wire/send#the deadline holds for the whole answer, however it drips',
    'wire/send#an answer over the limit is given up',
    'wire/packing#a %s bomb is stopped at the limit',
    'api/reply#%s is exit 7, and says where it came from',
    "exit-codes#an answer that is not the API's is exit 7",
  ]),
  promised('G4', 'proxies, NO_PROXY, a private certificate authority', [
    'http/proxy-rules#NO_PROXY',
    'wire/tls#a certificate authority of one’s own works by NODE_EXTRA_CA_CERTS',
    'wire/tls#a certificate for another name is refused, with and without a proxy',
    'wire/not-sent#a proxy that cannot be reached',
  ]),
  promised('G5', 'no HOME, a read-only disk, a directory that is gone', [
    'exit-codes#no HOME: nothing is written anywhere near',
    'exit-codes#a working directory that is gone',
    'exit-codes#a state directory that may not be written: single writes go on',
    'storage/write#gives the true cause on a read-only disk',
    'examples#the unit does its work, and what it leaves is in its state directory alone',
  ]),
  promised('G6', 'dates are calendar dates in the given time zone', [
    'parsing/calendar#there is no %s',
    'parsing/calendar#today › %s in %s',
    'parsing/calendar#a moment › %s in %s',
    'parsing/calendar#changes nothing',
  ]),
  promised('G7', 'paging ends, whatever the service returns', [
    'api/pages#ends on an empty page where no pagination is shown, and not on a short one',
    'api/pages#ends on a repeated page: a service that ignores page',
    'api/pages#ends on an empty page whatever the pagination says',
  ]),
  promised('G8', 'the receiver: loopback, on disk before 2xx, bounded, never blocked', [
    'webhooks-kill#keeps every delivery that it answered, once',
    'webhooks-listen#answers 503, and says why, where it cannot keep a delivery',
    'webhooks/server#refuses what is too large: told before, or found out',
    'webhooks/server#answers a good one while 50 say nothing, 50 drip and 50 stop in the middle',
  ]),
  promised('G9', 'what is to be forwarded is forwarded at least once, and its state on disk is true', [
    'webhooks-forward-kill#forwards each that it answered at least once, and its states are true',
    'webhooks/forwarding-faults#are each forwarded at least once, none forgotten, and their states are true',
    'webhooks/forwarding-queue#is tried ten times: after 5 s, 30 s, 2 min, 10 min, 1 h and then hourly',
    'webhooks/forwarding-queue#gives up what has killed ten listeners, and forwards what no state can be read of',
    'webhooks/forwarding-queue#lets no attempt begin that it could not record, and is told of once',
    'webhooks/forwarding-queue#are never more than so many, and never the same one twice',
    'webhooks-forwarding#leaves to the next one what it has not forwarded; an attempt that it cut short does not count',
    'webhooks-forwarding#ends a command that hangs, with all that it has started',
    'webhooks-forwarding#is the only one that forwards from a folder, for as long as it lives',
    'webhooks-forwarding#with --answer-after-handler responds once it was forwarded',
    'webhooks-forwarding#forwards what was given up, the earliest first, and then it is done',
    'webhooks-forwarding#removes what is old, once it is confirmed, and what is pending only by name',
    'sandbox-to-listener#is judged by the clock of the sandbox, wherever that was moved to, and while it listens',
  ]),
];

const TRUST: readonly Promised[] = [
  promised('H1', 'every number keeps its digits, or is refused before anything is sent', [
    'json/numbers#keep their digits in any document, however it is written',
    'values/digits#has its digits in: ttctl %s',
    'values/digits#is sent with its digits, or nothing is sent: %s',
    'values/digits#names the record that is written to: list -o ids | archive -',
  ]),
  promised('H2', 'one depth limit and one size limit for all external input', [
    'values/depth#is printed, or said to be too deep: ttctl %s',
    'values/depth#is taken, or refused with its place: %s',
    'values/large#is printed by: ttctl %s',
    'values/long-runs#is read once: %s',
    'changes/endless-input#is wrong usage, with its place: %s %s',
    'webhooks-hostile#lists what cannot be read as that, goes on, and keeps new deliveries',
  ]),
  promised('H3', 'one signal ends any wait, except for a write in progress', [
    'signals#$name: $line',
    'signals#a write on its way',
  ]),
  promised('H4', 'files that others could have written are never trusted', [
    'config/trusted-settings#its folder that others use, with mode %o, which stays',
    'config/trusted-settings#a file, and a folder, of another user',
    'config/trusted-settings#a pipe in its place, without waiting',
    'storage/own-state#the state is closed by whatever uses it, once',
    'bootstrap/code-cache#takes an index of its own making, so that what is refused below is refused for what it says',
    'bootstrap/compiled-code#does no harm when the same bytes are changed everywhere',
    'bootstrap/compiled-code#is looked through again when it was changed after it had been found whole',
    'bootstrap/compiled-code#is neither taken nor kept under CI',
    'child-environment#listen gets a small environment, the facts, and no credentials',
    'webhooks/store#takes one in time for one that came late, and for what an earlier version kept in its place',
  ]),
  promised('H5', 'no stream contains commands for a CI runner', [
    'commands/runner-marks#is inert in %s with %j, for every command',
    'commands/runner-marks#parses to the same values in json and ndjson',
    'commands/runner-marks#is what it was once the CSV is read by --from-file',
  ]),
  promised('H6', 'values of any type in any field end no command', ['values/hostile-records#ends well: %s']),
  promised('H7', 'everything that can be pasted is quoted by one function', [
    'parsing/shell-word#hands each value over as one word that is no flag',
    'parsing/shell-word#makes every command line that has something in it',
    'pasted-hints#a broken credentials file is moved as a whole',
  ]),
  promised('H8', 'a result never claims more than is known', [
    'changes/not-saved#never is a tick for people',
    'changes/not-saved#costs no request where nothing can have been dropped',
    'output-lost#a full disk: %s',
    'output-lost#a reader that has gone: %s',
    'changes/job-resume#going on answers for the whole job',
    'commands/all-query#is wrong usage before any request (%s)',
  ]),
  promised('H9', 'no suggestion or example widens what is done', [
    'help/suggestions#is never answered with one that skips a question or widens what is done',
    'help/suggestions#never destroys all that match: it looks first',
    'commands/archive-question#asks with the status of each, and when they were invited',
  ]),
];

export const RELIABILITY: Requirements = {
  'Signing in': SIGN_IN,
  Tokens: TOKENS,
  Secrets: SECRETS,
  'Limits and retries': LIMITS,
  'Bulk runs': BULK,
  Output: OUTPUT,
  'Process and network': PROCESS,
  Trust: TRUST,
};
