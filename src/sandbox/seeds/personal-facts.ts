import type { PersonSeed, SeedContext } from './builder.ts';
import { createEmailAddress } from './names.ts';

interface Location {
  readonly zone: string;
  readonly tax_country: string;
  readonly tax_state?: string;
}

const LOCATIONS: readonly Location[] = [
  { zone: 'Europe/Madrid', tax_country: 'ES', tax_state: 'Madrid' },
  { zone: 'America/New_York', tax_country: 'US', tax_state: 'New York' },
  { zone: 'Asia/Kolkata', tax_country: 'IN', tax_state: 'West Bengal' },
  { zone: 'Europe/London', tax_country: 'GB' },
  { zone: 'Australia/Sydney', tax_country: 'AU', tax_state: 'New South Wales' },
];
const DEFAULT_LOCATION: Location = { zone: 'UTC', tax_country: 'GB' };

const padTwoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`);

/** A day of the year, a different one for the next n. */
const formatDay = (year: number, n: number): string =>
  `${year}-${padTwoDigits(1 + ((n * 7) % 12))}-${padTwoDigits(1 + ((n * 11) % 28))}`;

/**
 * Where the n-th person of a large seed lives, and what the service knows of them: not everything of everybody. It
 * follows from n alone, so that nothing else of the seed depends on it.
 */
export const createPersonalDetails = (context: SeedContext, n: number): Partial<PersonSeed> => {
  const location = LOCATIONS[n % LOCATIONS.length] ?? DEFAULT_LOCATION;
  const hasTaxDetails = n % 7 !== 6;
  const preferredLocation = LOCATIONS[(n + 2) % LOCATIONS.length] ?? DEFAULT_LOCATION;
  const hiredYear = new Date(context.now).getUTCFullYear() - 3 - (n % 8);
  return {
    zone: location.zone,
    tax_country: hasTaxDetails ? location.tax_country : undefined,
    tax_state: hasTaxDetails ? location.tax_state : undefined,
    birth_date: n % 4 === 3 ? undefined : formatDay(1964 + ((n * 17) % 38), n),
    avatar: n % 3 === 0 ? createEmailAddress(n, 'png').replace('@', '.') : undefined,
    preferred_timezone: n % 6 === 2 ? preferredLocation.zone : undefined,
    hired_at: `${formatDay(hiredYear, n * 5 + 1)}T09:00:00.000Z`,
  };
};
