/** Whether a text is an id that says nothing to people: digits, or a UUID. */
export const isOpaqueId = (text: string): boolean =>
  /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text);
