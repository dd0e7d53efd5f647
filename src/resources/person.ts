import { toText } from '../json/text.ts';

/** First and last name, else the e-mail address; `undefined` where the record has none of them. */
export const formatPersonName = (row: Readonly<Record<string, unknown>>, prefix = ''): string | undefined => {
  const parts = [row[`${prefix}firstname`], row[`${prefix}lastname`]].filter((part) => part != null);
  const email = row[`${prefix}email`];
  return parts.map(toText).join(' ').trim() || (email == null ? undefined : toText(email));
};
