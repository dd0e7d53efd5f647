/** Many short texts, kept as bytes outside the heap: a million rows are tens of megabytes, and nothing to sweep. */

export interface TextBuffer {
  readonly size: number;
  /** @param text without a newline */
  add(text: string): void;
  /** @param index in the order of adding, from 0 */
  at(index: number): string;
}

const BLOCK = 1 << 20;
/** A place is its block times this and its byte in the block. */
const FACTOR = 2 ** 21;
const END = 10; // newline

export const createTextBuffer = (): TextBuffer => {
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const blocks: Uint8Array[] = [];
  const places: number[] = [];
  let used = 0;

  const put = (text: string): boolean => {
    const block = blocks.at(-1);
    if (block === undefined || used >= block.length) return false;
    const { read, written } = encoder.encodeInto(text, block.subarray(used, -1));
    if (read < text.length) return false;
    places.push((blocks.length - 1) * FACTOR + used);
    used += written + 1;
    block[used - 1] = END;
    return true;
  };
  return {
    get size() {
      return places.length;
    },
    add(text) {
      if (put(text)) return;
      // Three bytes are the most that one unit of a text takes.
      blocks.push(new Uint8Array(Math.max(BLOCK, text.length * 3 + 2)));
      used = 0;
      put(text);
    },
    at(index) {
      const place = places[index] ?? 0;
      const block = blocks[Math.floor(place / FACTOR)] ?? new Uint8Array();
      const from = place % FACTOR;
      return decoder.decode(block.subarray(from, block.indexOf(END, from)));
    },
  };
};
