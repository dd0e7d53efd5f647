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

const isZero = (byte: number | undefined): boolean => byte === 0;

/** Columns and JSON begin with ASCII, of which UTF-16 makes a zero byte before or after the character. */
const findUnmarkedUtf16 = ([first, second]: Uint8Array): string | undefined => {
  if (second === undefined || isZero(first) === isZero(second)) return undefined;
  return isZero(first) ? 'utf-16be' : 'utf-16le';
};

/** @throws UsageError for what begins as no text does, or is in another encoding without saying so */
const checkStart = (start: Uint8Array): void => {
  if (isWorkbook(start))
    throw new UsageError('it is a spreadsheet file, not text', {
      hint: 'Save the sheet as CSV ("CSV UTF-8" in Excel) and use that file.',
    });
  const encoding = findUnmarkedUtf16(start);
  if (encoding !== undefined)
    throw new UsageError('it looks like UTF-16 without a byte order mark', {
      hint: `Save it as UTF-8, or convert it: iconv -f ${encoding} -t utf-8`,
    });
  if (isZero(start[0])) throw new UsageError('it is not text: it starts with zero bytes');
};

/** @throws UsageError for bytes that are no text */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const part of joinFirstBytes(bytes)) {
      if (decoder === undefined) checkStart(part);
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
