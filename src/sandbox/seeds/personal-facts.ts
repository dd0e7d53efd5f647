import { daysAgo, type PersonSeed, type Plot } from './builder.ts';
import { addressOf } from './names.ts';

interface Place {
  readonly zone: string;
  readonly tax_country: string;
  readonly tax_state?: string;
}

const PLACES: readonly Place[] = [
  { zone: 'Europe/Madrid', tax_country: 'ES', tax_state: 'Madrid' },
  { zone: 'America/New_York', tax_country: 'US', tax_state: 'New York' },
  { zone: 'Asia/Kolkata', tax_country: 'IN', tax_state: 'West Bengal' },
  { zone: 'Europe/London', tax_country: 'GB' },
  { zone: 'Australia/Sydney', tax_country: 'AU', tax_state: 'New South Wales' },
];
const HOME: Place = { zone: 'UTC', tax_country: 'GB' };

const two = (number: number): string => String(number).padStart(2, '0');

/**
 * Where the n-th person of a large seed lives, and what the service knows of them: not everything of everybody. It
 * follows from n alone, so that nothing else of the seed depends on it.
 */
export const personalFacts = (plot: Plot, n: number): Partial<PersonSeed> => {
  const { zone, ...tax } = PLACES[n % PLACES.length] ?? HOME;
  const elsewhere = PLACES[(n + 2) % PLACES.length] ?? HOME;
  const born = `${1964 + ((n * 17) % 38)}-${two(1 + ((n * 7) % 12))}-${two(1 + ((n * 11) % 28))}`;
  return {
    zone,
    ...(n % 7 === 6 ? {} : tax),
    ...(n % 4 === 3 ? {} : { birth_date: born }),
    ...(n % 3 === 0 ? { avatar: addressOf(n, 'png').replace('@', '.') } : {}),
    ...(n % 6 === 2 ? { preferred_timezone: elsewhere.zone } : {}),
    hired_at: daysAgo(plot, 400 + ((n * 131) % 3000)),
  };
};
