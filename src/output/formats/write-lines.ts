/** What a pipe takes whole, in bytes (`PIPE_BUF` of Linux): more may be mixed with what other processes write. */
const AT_ONCE = 4096;

/**
 * Writes lines, as many together as a pipe takes whole; a longer one by itself. So lines of processes that share a
 * pipe (`xargs -P`) are not mixed.
 * @param lines each with its newline
 */
export const writeLines = async (
  lines: readonly string[],
  write: (text: string) => Promise<void>,
): Promise<void> => {
  let held = '';
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line);
    if (bytes > 0 && bytes + size > AT_ONCE) {
      await write(held);
      held = '';
      bytes = 0;
    }
    held += line;
    bytes += size;
  }
  if (bytes > 0) await write(held);
};
