/**
 * How much is read of what comes from outside: stdin, files that are named, answers. One measure for all of them; how
 * deep JSON may be is in `json/parse.ts`.
 */

/** Bytes of one text. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** The same in words. */
export const MAX_SIZE = '64 MiB';

/** Bytes of a token or a secret on stdin: a file in its place is a slip. */
export const MAX_TOKEN_BYTES = 64 * 1024;

/** Rows of a file, targets on stdin. The service takes 150 requests a minute: so many are more than two hours. */
export const MAX_ROWS = 20_000;
