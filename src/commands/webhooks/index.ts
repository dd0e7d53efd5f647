import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { groupFlags, inGroup, olderThanFlag, secretsFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { defineNoun } from '../verbs.ts';

const storeFlag = {
  name: 'store',
  value: 'folder',
  about: 'folder for deliveries (default: webhooks in the state directory)',
} as const satisfies Flag;

const forwardingFlags = inGroup('Forward', [
  { name: 'forward', value: 'url', about: 'forward each delivery to this address unchanged' },
  { name: 'exec', value: 'command', about: 'run this for each; its output goes to stderr', unsafe: true },
  { name: 'pass-env', value: 'name', about: 'a variable for the command', repeatable: true, unsafe: true },
]);

/** Members of a delivery in JSON: in a list, as it is received, and in detail. */
const commonFields = [
  ...['id', 'event', 'received_at', 'size', 'signature', 'signature_detail', 'path', 'state', 'key'],
];
const bodyFields = ['payload', 'text'];
const listFields = [...commonFields, 'summary'];
const liveFields = [...commonFields, 'repeat', 'attempts', 'forward', 'exec', 'summary', ...bodyFields];
const detailFields = [...commonFields, 'method', 'headers', ...bodyFields];

const webhooksListen = defineCommand({
  path: 'webhooks listen',
  about: 'receive deliveries on this machine: show, store and forward them',
  examples: [
    'ttctl --profile sandbox webhooks listen --create --event project.created',
    'ttctl webhooks listen --port 4748 --forward http://127.0.0.1:3000/hook',
    'ttctl webhooks listen --exec "jq .data" --limit 1 --output ndjson',
  ],
  writes: true,
  prints: { shape: 'list', fields: liveFields },
  exits: [...SERVICE_EXITS, 8, 9],
  flags: [
    { name: 'port', value: 'n', about: 'port to listen on; 0 for a free port', default: '4748' },
    { name: 'host', value: 'address', about: 'address to listen on', default: '127.0.0.1', unsafe: true },
    { name: 'event', value: 'name', about: 'show and forward only these; all are stored', repeatable: true },
    { name: 'limit', value: 'n', about: 'stop after <n> deliveries; exit 8 if one was not forwarded' },
    storeFlag,
    ...forwardingFlags,
    ...inGroup('Forward', [
      { name: 'answer-after-handler', about: 'respond only once it was forwarded (503 if it was not)' },
    ]),
    ...inGroup('Temporary webhook', [
      { name: 'create', about: 'create a webhook for this run; refuse what is unsigned' },
      { name: 'url', value: 'url', about: 'public address of this listener (of a tunnel or proxy)' },
    ]),
    ...inGroup('Signatures', [
      {
        name: 'webhook',
        value: 'id',
        about: 'verify with the token of this webhook (or TTCTL_WEBHOOK_TOKEN)',
      },
      { name: 'require-signature', about: 'refuse deliveries without a valid signature (401)' },
    ]),
    zoneFlag,
  ],
  run: async (run, { options }) => (await load()).listen(run, options),
});

const stateFlag = {
  name: 'state',
  value: 'state',
  about: 'only deliveries in this state of forwarding',
  choices: ['pending', 'accepted', 'failed'],
} as const satisfies Flag;

const webhooksReceivedPrune = defineCommand({
  path: 'webhooks received prune',
  about: 'remove old deliveries; pending ones only with --state pending',
  examples: ['ttctl webhooks received prune --older-than 26w --state failed --dry-run'],
  prints: { shape: 'record', fields: ['before', 'deliveries'] },
  exits: [9],
  flags: [olderThanFlag, stateFlag, storeFlag],
  run: async (run, { options }) => (await load()).pruneReceived(run, options.olderThan, options),
});

/** What receives deliveries is loaded when it is used. */
function load() {
  return import('./deliveries.ts');
}

const webhooksReceived = defineCommand({
  path: 'webhooks received',
  about: 'list stored deliveries, newest first, or show one in full',
  examples: [
    'ttctl webhooks received msg_p5jXN8AQM9LWM0D4loKWxJek',
    'ttctl webhooks received --event project.created --output ids',
  ],
  commands: [webhooksReceivedPrune],
  prints: { shape: 'list', fields: listFields, named: detailFields },
  positionals: [{ name: 'id', about: 'id of a delivery, or the start of its key', required: false }],
  flags: [
    { name: 'event', value: 'name', about: 'only deliveries of this event' },
    stateFlag,
    { name: 'limit', value: 'n', about: 'at most <n> rows' },
    storeFlag,
    ...groupFlags,
    secretsFlag,
    zoneFlag,
  ],
  run: async (run, { targets: [text], options }) => (await load()).showReceived(run, text, options),
});

const webhooksReplay = defineCommand({
  path: 'webhooks replay',
  about: 'forward stored deliveries again, marked ttctl-replay',
  examples: [
    'ttctl webhooks replay msg_p5jXN8AQM9LWM0D4loKWxJek --forward http://127.0.0.1:3000/hook',
    'ttctl webhooks replay - --exec "jq .data"',
    'ttctl webhooks replay --failed --forward http://127.0.0.1:3000/hook',
  ],
  prints: { shape: 'results' },
  exits: [6, 7, 8],
  positionals: [
    {
      name: 'id',
      about: 'ids of stored deliveries, or - to read them from stdin',
      required: false,
      variadic: true,
      // Which ones is a question once it is known where to.
      needed: {
        when: ({ forward, exec, failed }) => failed !== true && (forward !== undefined || exec !== undefined),
      },
    },
  ],
  flags: [
    { name: 'failed', about: 'all deliveries that were not accepted, earliest first', unsafe: true },
    ...forwardingFlags,
    storeFlag,
  ],
  run: async (run, { targets, options }) => (await load()).replay(run, targets, options),
});

export function webhooks(noun: Noun): Promise<Group> {
  return defineNoun(noun, [webhooksListen, webhooksReceived, webhooksReplay]);
}
