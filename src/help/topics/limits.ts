import { DEFAULT_PER_PAGE } from '../../api/pages.ts';
import { DEFAULT_MAX_WAIT, DEFAULT_RATE, DEFAULT_SETTLE, DEFAULT_TIMEOUT } from '../../config/values.ts';
import { createRateWindows } from '../../http/budget.ts';
import { createProse, createSection, type HelpPage } from '../page.ts';

const { requests, perSeconds, writes, writesPerSeconds } = DEFAULT_RATE;
const [all, changes] = createRateWindows(DEFAULT_RATE);

export const buildLimitsTopic: HelpPage = {
  lead: 'Rate limits of the service, and how ttctl respects them.',
  sections: [
    createSection('Limits of the service', {
      entries: [
        [`${requests} requests in ${perSeconds} s`, 'reads and writes together'],
        [`${writes} writes in ${writesPerSeconds} s`, 'writes only'],
      ],
    }),
    createProse(
      'All ttctl processes that use the same credential share one ledger in the state directory, so that a terminal, a cron job and a bulk run together stay within the limits. A note on stderr says when ttctl is waiting.',
      `A bulk run leaves ${all.reserve} of the ${all.limit} requests and ${changes.reserve} of the ${changes.limit} writes free, so that single commands do not have to wait for it.`,
    ),
    createSection('When a request fails', {
      entries: [
        ['429', 'all processes of the credential wait as Retry-After says, then retry'],
        ['no connection', 'retried up to 3 times, since nothing was sent'],
        [
          'reset, timeout, 5xx',
          'reads are retried up to 3 times; writes are never retried: the records are checked',
        ],
      ],
    }),
    createSection('Settings', {
      entries: [
        [
          '--max-wait <seconds>',
          `per request, in total (${DEFAULT_MAX_WAIT}); 0 fails at once with exit code 7; waiting for the ledger does not count`,
        ],
        ['--timeout <seconds>', `per attempt (${DEFAULT_TIMEOUT})`],
        [
          'settle',
          `of a profile, or TTCTL_SETTLE: seconds to look for what a write did if its response was lost (${DEFAULT_SETTLE}); 0 looks once`,
        ],
        [
          'rate_limit',
          `of a profile, or TTCTL_RATE_LIMIT: ${requests}/${perSeconds},${writes}/${writesPerSeconds} is the default; off disables the ledger`,
        ],
      ],
    }),
    createSection('Examples', {
      commands: [
        'ttctl profile set --profile work --rate-limit 300/60,20/1',
        'ttctl timesheets list --max-wait 0 --json',
      ],
    }),
    createProse(
      `A list is fetched ${DEFAULT_PER_PAGE} rows per request. Before a large run, ttctl prints how many requests it needs and how long they take.`,
    ),
  ],
};
