import { statSync } from 'node:fs';

/** The user that this process works for. Apart from holder.ts: every command asks it. */

/** The effective user, or undefined where files have no such owner (Windows). */
export const getOwnUid = (uid: number | undefined = process.geteuid?.()): number | undefined => uid;

/** Who owns the home folder; undefined where there is none. */
export const getHomeOwner = (home: string | undefined = process.env.HOME): number | undefined => {
  try {
    return home === undefined ? undefined : statSync(home).uid;
  } catch {
    return undefined;
  }
};
