import assert from "node:assert/strict";
import test from "node:test";
import { softmax } from "../numbers.js";
test("softmax", () => assert.ok(Math.abs(softmax([1, 1])[0] - 0.5) < 1e-7));
