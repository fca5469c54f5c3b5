// PyTorch's numbers, recorded by tests/explorers/record_numbers.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const torch = JSON.parse(readFileSync(new URL("torch.json", import.meta.url), "utf8"), revived);

/** JSON has no NaN and no infinity: they are recorded as Python writes them. */
function revived(_, value) {
  return { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] ?? value;
}

/** The numbers agree within the tolerance; NaN agrees with NaN. */
export function assertClose(found, expected, tolerance = 1e-6) {
  assert.equal(found.length, expected.length);
  expected.forEach((number, i) => {
    const same = Object.is(found[i], number) || Math.abs(found[i] - number) <= tolerance;
    assert.ok(same, `number ${i} must be ${number} within ${tolerance}, got ${found[i]}`);
  });
}
