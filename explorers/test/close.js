import assert from "node:assert/strict";

/** The numbers agree within the tolerance; NaN agrees with NaN. */
export function assertClose(found, expected, tolerance = 1e-6) {
  assert.equal(found.length, expected.length);
  expected.forEach((number, i) => {
    const same = Object.is(found[i], number) || Math.abs(found[i] - number) <= tolerance;
    assert.ok(same, `number ${i} must be ${number} within ${tolerance}, got ${found[i]}`);
  });
}
