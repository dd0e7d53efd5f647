/** Members of what the sandbox shows, in JSON and for `--columns`. */

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
