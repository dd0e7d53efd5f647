import { type Promised, promised, type Requirements } from '../support/proofs.ts';

/** Start-up, memory and size. Times are ratios that `npm run bench` prints: a test by the clock fails on a busy machine. */

const START: readonly Promised[] = [
  promised(
    'PERF-1',
    'a command loads only what it uses',
    [
      'auth/start-up#loads no part of OAuth2 on the way of an ordinary command',
      'inbox/start-up#is no part of an ordinary command, nor of the inbox in a pipe',
      'bootstrap/node-parts#is what one request needs, and what runs kept code',
    ],
    'npm run bench holds to node -e 0: --version and --help 1.2, help of a verb 1.25, completion 1.5.',
  ),
  promised(
    'PERF-2',
    'compiled code is kept between runs',
    [
      'bootstrap/parts#keeps what was compiled for this user alone, and takes it the next time',
      'bootstrap/parts#keeps more when a run needs more, and all of it',
    ],
    'npm run bench holds one page of a list to a bare node:http script: 1.4, with nothing cached 1.8.',
  ),
];

const ROWS: readonly Promised[] = [
  promised(
    'PERF-3',
    'lists stream, later pages are fetched together and come in order, and tables take time in proportion to their rows',
    [
      'output/formats#write the first page before the second is there',
      'api/pages#keeps the order when a later page is answered first',
      'output/table#has at most 100 rows of 10,000 drawn at once, at width %s',
    ],
    'npm run bench:rows holds 50,000 rows to curl page by page: 0.6 in time.',
  ),
  promised('PERF-4', 'texts and pages up to the size limit of a response work in every format', [
    'values/large#is printed by: ttctl %s',
  ]),
  promised('PERF-5', 'memory does not grow with the rows of a run, nor with its input', [
    'jobs-process#does not grow with the rows',
    'changes/input-size#stays flat: nothing is sent, the fault of the last row is told',
  ]),
  promised(
    'PERF-6',
    'a bulk run takes what the limits allow, and is never refused',
    [
      'rate-limit/processes#at full load no request is refused, no time is lost, one is killed, and a single command passes',
      'http/pacing#at full load next to nothing of the allowance is lost',
    ],
    'npm run bench:bulk holds it to 1.05 of what the limits allow.',
  ),
];

const SIZE: readonly Promised[] = [
  promised('PERF-7', 'the package is at most 640 kB, with no dependencies and no install scripts', [
    'package#is small, and needs nothing at run time',
    'newcomer#makes a file that is installed without a warning, and works',
  ]),
];

const SCREEN: readonly Promised[] = [
  promised(
    'PERF-8',
    'the review screen is there at once, and keeps no key waiting, however much is waiting for a decision',
    [
      'inbox/frame#of thousands of items only those on the screen are looked at closely',
      'inbox/frame#draws those on the screen, and no others',
      'inbox-crowd#goes anywhere, loses no key, filters, selects, and sends the one decision',
    ],
    'npm run bench:inbox holds 2,000 items to 100 ms of CPU after the last list, and 16 ms for a key.',
  ),
];

export const PERFORMANCE: Requirements = {
  'Start-up': START,
  Rows: ROWS,
  Size: SIZE,
  'The review screen': SCREEN,
};
