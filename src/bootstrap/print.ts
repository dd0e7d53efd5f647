import { writeSync } from 'node:fs';

const STDOUT = 1;

/** @param onError told what the disk or the reader says: `EPIPE` where nobody reads any more */
export function print(text: string, onError: (error: NodeJS.ErrnoException) => void): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
  } catch {
    // A pipe that does not block is full; what else it is, the stream says.
    process.stdout.on('error', onError);
    process.stdout.write(bytes.subarray(written));
  }
}
