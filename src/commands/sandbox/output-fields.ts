/** What the verbs of the sandbox have in common. */

/** Of a verb that puts another state in the place of the present one. */
export const KEEPS_NOTHING = {
  title: 'No confirmation',
  text: 'The sandbox holds practice data, so this command never asks for confirmation. To keep the current state, save it first: ttctl sandbox snapshot save <name>.',
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
  'request_id',
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
];
