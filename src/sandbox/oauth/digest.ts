import { createHash, timingSafeEqual } from 'node:crypto';

/** Comparisons that take the same time whatever differs (an adapter). */

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

/** Whether a PKCE verifier belongs to a challenge of the method S256 (RFC 7636, section 4.6). */
export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  isSameSecret(sha256(verifier).toString('base64url'), challenge);
