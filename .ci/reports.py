#!/usr/bin/env python3
"""Reads the XML reports of surefire and failsafe and prints one line for each module.

Fails when a module that has tests reported none, when a test failed, and when one was skipped.
"""
import glob
import os
import sys
import xml.etree.ElementTree as ET

KINDS = {"surefire-reports": "Test.java", "failsafe-reports": "IT.java"}


def has_tests(module, suffix):
    return any(name.endswith(suffix)
               for _, _, names in os.walk(os.path.join(module, "src", "test", "java")) for name in names)


def count(folder):
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for report in glob.glob(os.path.join(folder, "TEST-*.xml")):
        suite = ET.parse(report).getroot()
        for name in totals:
            totals[name] += int(suite.get(name, "0"))
    return totals


def main():
    complaints = []
    passed = failed = skipped = 0
    for module in sorted(os.path.dirname(pom) for pom in glob.glob("*/pom.xml")):
        for kind, suffix in KINDS.items():
            if not has_tests(module, suffix):
                continue
            totals = count(os.path.join(module, "target", kind))
            bad = totals["failures"] + totals["errors"]
            print(f"{module:14} {kind:17} {totals['tests']:5} tests, {bad} failed, {totals['skipped']} skipped")
            if totals["tests"] == 0:
                complaints.append(f"{module} has *{suffix} and no test of it ran")
            if totals["skipped"]:
                complaints.append(f"{module}: {totals['skipped']} skipped")
            failed += bad
            skipped += totals["skipped"]
            passed += totals["tests"] - bad - totals["skipped"]
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if passed == 0:
        complaints.append("no test ran at all")
    for complaint in complaints:
        print(f"FAIL: {complaint}", file=sys.stderr)
    return 1 if complaints or failed else 0


sys.exit(main())
