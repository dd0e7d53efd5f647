/** What `auth status` prints. */
export const authStatusFields = [
  'profile',
  'account',
  'workspace',
  'base_url',
  'kind',
  'source',
  'scopes',
  'access_expires_at',
  'refresh_expires_at',
  'checked',
] as const;
