import { UsageError } from '../../outcome.ts';

/** Bytes to text: UTF-8, or UTF-16 where the byte order mark says so. The mark is taken off. */

const detectEncoding = (start: Uint8Array): string => {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
};

/** At least two bytes first, so that the mark is whole. */
async function* joinFirstBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let single: Uint8Array | undefined;
  for await (const part of bytes) {
    const whole = single === undefined ? part : Buffer.concat([single, part]);
    single = whole.length === 1 ? whole : undefined;
    if (whole.length > 1) yield whole;
  }
  if (single !== undefined) yield single;
}

/** What Excel and others save workbooks as: a zip file; of old, an OLE container. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];
const isWorkbook = (start: Uint8Array): boolean =>
  WORKBOOKS.includes(Buffer.from(start.subarray(0, 4)).toString('hex'));

/** @throws UsageError for bytes that are no text */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const part of joinFirstBytes(bytes)) {
      if (decoder === undefined && isWorkbook(part)) {
        throw new UsageError('it is a spreadsheet file, not text', {
          hint: 'Save the sheet as CSV ("CSV UTF-8" in Excel) and use that file.',
        });
      }
      if (decoder === undefined && part[0] === 0)
        throw new UsageError('it is not text: it starts with zero bytes');
      decoder ??= new TextDecoder(detectEncoding(part), { fatal: true });
      yield decoder.decode(part, { stream: true });
    }
    yield decoder?.decode() ?? '';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError('it is not UTF-8 text', {
      hint: 'Save it as "CSV UTF-8", or convert it: iconv -f latin1 -t utf-8',
      cause: error,
    });
  }
}
