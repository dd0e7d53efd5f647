/**
 * Whether a URL's host name means this machine: `localhost`, names under it (RFC 6761), 127.0.0.0/8, ::1.
 * Names are judged by their text; nothing is looked up.
 */
export const isLoopback = (hostname: string): boolean => {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  if (name === '::1' || name === '[::1]') return true;
  return /^127(\.\d{1,3}){3}$/.test(name);
};
