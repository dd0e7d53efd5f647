import {
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../disk/folders.ts';

/** The file of compiled code: what V8 made of the program's packs, for the next run. It may be lost at any time. */

/** Of one pack. */
export interface Compiled {
  readonly code: Buffer;
  /** The places of the parts that had been run by then: of others V8 has compiled nothing yet. */
  readonly ran: readonly number[];
}

/** Pack → where its code stands, in bytes. */
type KeptIndex = Readonly<
  Record<number, { readonly offset: number; readonly length: number } & Pick<Compiled, 'ran'>>
>;

/** Compiled code, as it stands in its file: a head of fixed size, the index, the codes. */
export interface Kept {
  readonly index: KeptIndex;
  /** `undefined` where there is none, or it is damaged. */
  code(pack: number): Buffer | undefined;
}

/** V8 wants its data at whole machine words. */
const ALIGNED = 8;
const padded = (length: number): number => Math.ceil(length / ALIGNED) * ALIGNED;

/** Of so many builds and Node versions the compiled code is kept. */
const BUILDS = 4;

const NOTHING: Kept = { index: {}, code: () => undefined };

/** What is there, which may be less. */
export const readAt = (fd: number, offset: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
};

/**
 * Every piece is written twice, since V8 does not check what it is handed and dies of a damaged one: comparing the
 * two is the cheapest check there is.
 */
const twice = (piece: Buffer): readonly Buffer[] => {
  const filled = Buffer.concat([piece, Buffer.alloc(padded(piece.length) - piece.length)]);
  return [filled, filled];
};

const once = (bytes: Buffer, length: number): Buffer | undefined => {
  const half = padded(length);
  const whole =
    length > 0 && bytes.length === 2 * half && bytes.compare(bytes, half, 2 * half, 0, half) === 0;
  return whole ? bytes.subarray(0, length) : undefined;
};

const readKept = (file: string, uid: number | undefined): Kept => {
  const fd = openSync(file, 'r');
  const { uid: owner, mode } = fstatSync(fd);
  if (uid !== undefined && (owner !== uid || (mode & 0o022) !== 0)) return NOTHING;
  const read = (offset: number, length: number): Buffer | undefined =>
    once(readAt(fd, offset, 2 * padded(length)), length);
  const length = read(0, ALIGNED)?.readUInt32LE(0) ?? 0;
  const head = read(2 * ALIGNED, length);
  if (head === undefined) return NOTHING;
  const index: KeptIndex = JSON.parse(head.toString('latin1'));
  const start = 2 * (ALIGNED + padded(length));
  return {
    index,
    code: (pack) => {
      const place = index[pack];
      return place && read(start + place.offset, place.length);
    },
  };
};

/** Nothing where there is no such file, or others than the user could have written it. Never throws. */
export const readCode = (file: string | undefined, uid: number | undefined): Kept => {
  try {
    return file === undefined ? NOTHING : readKept(file, uid);
  } catch {
    return NOTHING;
  }
};

const written = (compiled: ReadonlyMap<number, Compiled>): Buffer => {
  const places: Record<number, KeptIndex[number]> = {};
  let offset = 0;
  for (const [pack, { code, ran }] of compiled) {
    places[pack] = { offset, length: code.length, ran };
    offset += 2 * padded(code.length);
  }
  const index = Buffer.from(JSON.stringify(places));
  const head = Buffer.alloc(ALIGNED);
  head.writeUInt32LE(index.length);
  const codes = [...compiled.values()].map(({ code }) => code);
  return Buffer.concat([head, index, ...codes].flatMap(twice));
};

/** Those of other builds and versions, the oldest first. */
const tidy = (folder: string): void => {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const aged = files.map((file) => ({ file, age: statSync(file).mtimeMs })).sort((a, b) => b.age - a.age);
  for (const { file } of aged.slice(BUILDS)) unlinkSync(file);
};

/** Puts the whole file in place at once, readable by the user alone. @throws Error what the disk says */
export const writeCode = (file: string, pid: number, compiled: ReadonlyMap<number, Compiled>): void => {
  const folder = dirname(file);
  makeFolders(folder);
  const beside = `${file}.${pid}`;
  try {
    writeFileSync(beside, written(compiled), { mode: 0o600, flag: 'wx' });
    renameSync(beside, file);
  } catch (error) {
    unlinkSync(beside);
    throw error;
  }
  tidy(folder);
};
