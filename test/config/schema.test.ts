import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findViolation, PROFILE_MEMBERS, SETTINGS_SCHEMA } from '../../src/config/profile.ts';

/** The schema of the settings file: what reads the file and what writes it are to agree on it. */

const byAjv = new Ajv2020({ allowUnionTypes: true }).compile(SETTINGS_SCHEMA);

const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant('text'), fc.constant(1));
const few = (names: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 });

const profile = few([...Object.keys(PROFILE_MEMBERS), 'colour'], fc.oneof(fc.constant('text'), anything));
const profiles = few(
  ['work', 'a b', '..', '.a', '__proto__', 'constructor', ''],
  fc.oneof(profile, profile, anything),
);
const document = fc.record(
  {
    version: fc.oneof(fc.constant(1), fc.constant(1), anything),
    current_profile: fc.oneof(fc.constant('work'), anything),
    profiles: fc.oneof(profiles, profiles, anything),
    future: anything,
  },
  { requiredKeys: [] },
);

describe('the schema of the settings', () => {
  it('finds wrong what Ajv finds wrong, and nothing else', () => {
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: document }, anything), (value) => {
        const right = byAjv(value);
        seen[right ? 'right' : 'wrong'] += 1;
        expect(findViolation(SETTINGS_SCHEMA, value) === undefined).toBe(right);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(200);
  });
});
