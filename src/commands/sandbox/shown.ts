/** What the verbs of the sandbox have in common. */

/** Of a verb that puts another state in the place of the present one. */
export const KEEPS_NOTHING = {
  title: 'Without a question',
  text: 'Nothing in the sandbox is real, so that this never asks, not at a terminal either. To come back to what is there now, save it first: ttctl sandbox snapshot save <name>. To see only what would be: --dry-run',
};

// Members of what the sandbox shows, in JSON and for `--columns`.

export const clockFields = ['now', 'frozen', 'ahead_seconds'];

export const faultFields = [
  'id',
  'route',
  'times',
  'left',
  'status',
  'retry_after',
  'after_commit',
  'latency_ms',
  'drop',
  'body',
  'fault',
];

export const logFields = [
  'id',
  'at',
  'operation',
  'route',
  'status',
  'method',
  'path',
  'query',
  'body',
  'fault',
  'remaining',
  'unread',
  'member',
  'duration_ms',
  'command',
];
