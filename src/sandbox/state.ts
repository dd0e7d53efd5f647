import type { RepeatableRequest } from './answer.ts';
import type { Membership, RecordMap, Role, User, Workspace, World } from './world.ts';

/** The record under `id`, never a property that every object has. */
export function findRecord<T>(records: RecordMap<T>, id: string | number): T | undefined {
  return Object.hasOwn(records, String(id)) ? records[String(id)] : undefined;
}

export function isLive(records: RecordMap<{ deleted_at: string | null }>, id: string | number): boolean {
  return findRecord(records, id)?.deleted_at === null;
}

/** From 0 to 1, of the world's own generator (mulberry32). */
export function drawRandom(world: Pick<World, 'generator'>): number {
  world.generator = (world.generator + 0x6d2b79f5) | 0;
  const hash = Math.imul(world.generator ^ (world.generator >>> 15), 1 | world.generator);
  const finalHash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash;
  return ((finalHash ^ (finalHash >>> 14)) >>> 0) / 4294967296;
}

export function createNumber(world: World): number {
  world.next_id += 1;
  return world.next_id - 1;
}

export function createUuid(world: World): string {
  const drawHex = () => (drawRandom(world) * 4294967296).toString(16).padStart(8, '0');
  const [a, b, c, d] = [drawHex(), drawHex(), drawHex(), drawHex()];
  const variant = '89ab'[Number.parseInt(c.slice(0, 1), 16) % 4];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

export function createSecret(random: () => number, length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)] ?? 'A').join('');
}

export function toSandboxTime(world: Pick<World, 'time'>, machineMs: number): number {
  return world.time.frozen_ms ?? machineMs + world.time.offset_ms;
}

export function isManager(role: Role): boolean {
  return role === 'Owner' || role === 'Executive manager';
}

/** The membership while it counts: not archived, not blocked, active. */
export function findActiveMembership(workspace: Workspace, user: number): Membership | undefined {
  const membership = findRecord(workspace.members, user);
  const isActive = membership?.status === 'active' && membership.deleted_at === null;
  return isActive && !membership.is_blocked ? membership : undefined;
}

/** `Owner of Lindenhof Studio`: where the user may use the API (docs/service.md, Access). */
export function listManagerRoles(world: World, user: number): string[] {
  return Object.values(world.spaces).flatMap((workspace) => {
    const role = findActiveMembership(workspace, user)?.role;
    return role !== undefined && isManager(role) ? [`${role} of ${workspace.workspace_name}`] : [];
  });
}

export function findUserByEmail(world: World, email: string): User | undefined {
  const lowerEmail = email.toLowerCase();
  return Object.values(world.users).find((user) => user.email.toLowerCase() === lowerEmail);
}

export function formatFullName(user: User | undefined): string {
  return user === undefined ? '' : `${user.firstname} ${user.lastname}`.trim();
}

/** Executive Managers see rates when their own `rate_status` is 1 (assumed); Owners always. */
export function seesRates(caller: Membership): boolean {
  return caller.role === 'Owner' || (caller.role === 'Executive manager' && caller.rate_status === 1);
}

export function isWorld(value: unknown): value is World {
  if (typeof value !== 'object' || value === null) return false;
  const parts = ['users', 'spaces', 'tokens', 'trackers', 'time'];
  const fields: Record<string, unknown> = { ...value };
  return fields.version === 1 && parts.every((part) => typeof fields[part] === 'object' && fields[part]);
}

export interface SandboxStore {
  /** Runs the work alone with the state; `save` keeps what it changes: all of it, or what a request changed. */
  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T>;
  replace(make: () => Promise<World>): Promise<World>;
  /** The state for looking, undefined where there is none yet. @throws what the host throws where it is damaged */
  peek(): Promise<World | undefined>;
}

export interface MemoryStore extends SandboxStore {
  world(): World;
}

export function createMemoryStore(initial: World, save: (world: World) => void = () => {}): MemoryStore {
  let world = initial;
  return {
    world: () => world,
    peek: async () => world,
    use: async (work) => work(world, () => save(world)),
    replace: async (make) => {
      world = await make();
      save(world);
      return world;
    },
  };
}
