import { PER_PAGE } from '../../api/pages.ts';
import { DEFAULT_MAX_WAIT, DEFAULT_RATE, DEFAULT_TIMEOUT } from '../../config/defaults.ts';
import { windowsOf } from '../../limits/windows.ts';
import { type Page, prose, titled } from '../page.ts';

const { requests, perSeconds, writes, writesPerSeconds } = DEFAULT_RATE;
const [all, changes] = windowsOf(DEFAULT_RATE);

export const limits: Page = {
  lead: "The service's limits, and how ttctl keeps to them.",
  sections: [
    titled('Limits of the service', {
      entries: [
        [`${requests} requests in ${perSeconds} s`, 'reads and writes together'],
        [`${writes} writes in ${writesPerSeconds} s`, 'requests that change something'],
      ],
    }),
    prose(
      'All ttctl processes of one user that use one credential share one ledger in the state directory: a terminal, a cron job and a bulk run wait for each other before they would be refused. Waiting is told on stderr.',
      `A bulk run leaves ${all.reserve} of the ${all.places} requests and ${changes.reserve} of the ${changes.places} writes free, so that a single command is not made to wait behind it.`,
    ),
    titled('When the service says later', {
      entries: [
        ['429', 'waited for as its Retry-After says, by all processes of the credential, then sent again'],
        ['no connection', 'sent again up to 3 times, since nothing of it was sent'],
        ['reset, timeout, 5xx', 'a read is sent again up to 3 times; a write never is: it is looked up'],
      ],
    }),
    titled('Settings', {
      entries: [
        [
          '--max-wait <seconds>',
          `for one request in all (${DEFAULT_MAX_WAIT}); 0 fails at once with exit 7; keeping to the ledger is not counted`,
        ],
        ['--timeout <seconds>', `for one try of a request (${DEFAULT_TIMEOUT})`],
        [
          'rate_limit',
          `of a profile, or TTCTL_RATE_LIMIT: ${requests}/${perSeconds},${writes}/${writesPerSeconds} is the default; off keeps no ledger`,
        ],
      ],
    }),
    titled('Examples', {
      commands: [
        'ttctl profile set --profile work --rate-limit 300/60,20/1',
        'ttctl timesheets list --max-wait 0 --json',
      ],
    }),
    prose(
      `A list is fetched ${PER_PAGE} rows a request. Before a large run ttctl says how many requests it will take, and how long the limits make that.`,
    ),
  ],
};
