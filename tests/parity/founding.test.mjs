// The founding cases give the stated result natively and in Node, and the same bytes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "sglint";
import { nativeReport } from "./native.mjs";

const cases = JSON.parse(readFileSync(new URL("founding.json", import.meta.url), "utf8"));
const checker = await load();

for (const c of cases) {
  test(c.name, () => {
    const json = checker.checkJson(c.request);
    const native = nativeReport(c.request);
    assert.equal(json, native.json, "Node and native give the same bytes");
    assert.equal(native.code, c.outcome === "ok" ? 0 : 1);

    const report = checker.check(c.request);
    const launch = report.launches[0];
    assert.equal(launch.outcome, c.outcome);
    const errors = launch.diagnostics.filter((d) => d.severity === "error");
    assert.deepEqual(errors.map((d) => d.message), c.errors);
    assert.equal(launch.error?.message ?? null, c.errors[0] ?? null);
    for (const d of errors) assert.ok(d.fixes.length > 0, `${d.rule} offers a fix`);
    if (c.first_fix) assert.equal(errors[0].fixes[0].title, c.first_fix);
    if (c.fixed) {
      const again = checker.check({ ...c.request, text: `${launch.fixed_command}\n` });
      assert.equal(again.launches[0].outcome, "ok", "the fixed command is accepted");
    }
    for (const [field, value] of Object.entries(c.resolved ?? {})) {
      assert.equal(launch.resolved[field].value, value);
      assert.ok(launch.resolved[field].because.length > 20, "says why");
    }
    if (c.log) assert.ok(launch.logs.some(([, line]) => line === c.log), "the info line is predicted");
  });
}
