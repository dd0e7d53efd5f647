/** Profiles and their sign-ins, loaded together. */
export { auth } from './auth/index.ts';
export { profile } from './profile/index.ts';
