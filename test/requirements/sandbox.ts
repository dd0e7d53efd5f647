import { type Promised, promised, type Requirements } from '../support/proofs.ts';

/** The whole service on this machine: for a newcomer without an account, and for tests. */

const FAITHFUL: readonly Promised[] = [
  promised(
    'SBX-1',
    'one implementation: embedded with its state in a file, on a port, and in the process of a test',
    [
      'scripts/sessions#they carry out every operation',
      'sandbox/embedded#keeps the state for the next process, and writes it only when it changed',
      'sandbox/library/web#answers as a server does: reads, writes, refusals, unknown places',
      'sandbox-commands#loses nothing when several processes write at once',
    ],
  ),
  promised(
    'SBX-2',
    'refuses as the service does: token, limit, scope, workspace, role, values, in this order',
    [
      'sandbox/access#checks in order: route, token, limit, scope, workspace, role, validation',
      'sandbox/access#read may not write: 403 with both lists',
      'sandbox/members#shows rates only to those who may view them',
      'sandbox/lower-roles#they can do nothing else',
    ],
  ),
  promised('SBX-3', 'keeps every rule of state', [
    'sandbox/model#timesheets',
    'sandbox/model#members',
    'sandbox/model#leave requests',
    'sandbox/model#time requests',
    'sandbox/model#project viewers and what they may see',
  ]),
  promised('SBX-4', '150 requests a minute, 20 writes a second, by token, with Retry-After', [
    'sandbox/model#limits: never more than the allowance in any window',
    'sandbox/limits#lets 150 requests a minute through and refuses the next with Retry-After 60',
    'sandbox/limits#lets 20 writes a second through and refuses the next with Retry-After 1',
  ]),
  promised('SBX-5', 'signs in by OAuth2: page, one-time codes, rotation, client credentials', [
    'sandbox/oauth-once#codes and refresh tokens work once under any order, and the newest access token of an approval alone is alive',
    'sandbox/oauth-authorize#denies: access_denied with words and the state',
    'sandbox/oauth-token#client credentials',
  ]),
  promised('SBX-6', 'responses are as documented, and the client works with every dialect', [
    'sandbox/documented#is as documented in the seed %s',
    'sandbox/documented#is answered as documented, and reads as documented afterwards; every operation is met',
    'scripts/dialects#a service that answers with',
    'scripts/sessions#get answers that the OpenAPI document allows',
  ]),
  promised('SBX-7', 'says what is documented, found and assumed', [
    'sandbox-commands#counts for every operation what is documented, found and assumed',
    'sandbox/dialect#has the operations of the document, each once and with its provenance',
  ]),
];

const HELPFUL: readonly Promised[] = [
  promised('SBX-8', 'one clock for tokens, limits, retries and dates; one seeded generator', [
    'sandbox/clock#what follows the clock',
    'sandbox/seeds#%s is the same for the same number, plain JSON, and whole in its references',
    'sandbox/simulate#does the same with the same world, and something else with another number',
  ]),
  promised('SBX-9', 'faults affect only the first calls, and may do the work before they fail', [
    'sandbox-faults#is of the first calls, in the order in which they were added, and then of no more',
    'sandbox/library/sandbox#do the work and then fail, where that is asked for',
  ]),
  promised('SBX-10', 'events are delivered, signed and retried, on this machine unless another is allowed', [
    'sandbox/deliveries/server#tries again when the time has come, eight times in all, and then gives up',
    'sandbox/deliveries/rules#is that of the published vector',
    'sandbox-webhooks#is told by every command that changes something, once',
  ]),
  promised('SBX-11', 'the log shows requests and ignored fields, and no secrets', [
    'sandbox-log#tells time, operation, status, fault, what is left, and what nobody reads',
    'sandbox-log#shows no secret',
  ]),
  promised('SBX-12', 'the page is available only on this machine, and works without a mouse', [
    'sandbox/board#shows nothing to a page of another site, and takes no other method',
    'sandbox-page#is answered to this machine under its own name alone',
    'sandbox-page-browser#is gone through with the keyboard, from a first link that leads to the content',
  ]),
];

const APART: readonly Promised[] = [
  promised('SBX-13', 'its tokens go to no other machine, and it accepts no others', [
    'auth/session#a sandbox token is not sent to',
    'sandbox/access#says that it takes only its own tokens',
    'config/settings#the sandbox is always there, takes stored settings, and no address leads out of it',
  ]),
  promised(
    'SBX-14',
    'sandbox exec gives a command its own sandbox and directories, and exits with its exit code',
    [
      'sandbox-exec#are its own, and gone afterwards',
      'sandbox-exec#are none where nothing can be written, and the command runs',
      'sandbox-commands#gives the command a sandbox of its own, and the command gives the exit code',
      'sandbox-commands#passes SIGTERM on and leaves nothing running',
    ],
  ),
];

export const SANDBOX: Requirements = {
  'As the service': FAITHFUL,
  'For tests': HELPFUL,
  'No accidents': APART,
};
