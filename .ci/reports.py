#!/usr/bin/env python3
"""Reads the XML reports of surefire and failsafe and prints one line for each module.

Fails when a module that has tests reported none, when a test failed, and when one was skipped. With --long it also
lists the failed tests with the lines that name their seeds, and the longest ones.
"""
import glob
import os
import sys
import xml.etree.ElementTree as ET

LONGEST = 20
MOST_LINES = 8
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


def details():
    """The failed tests, and the longest ones."""
    longest = []
    for report in glob.glob("*/target/*-reports/TEST-*.xml"):
        for case in ET.parse(report).getroot().iter("testcase"):
            name = f"{case.get('classname').rsplit('.', 1)[-1]}.{case.get('name')}"
            longest.append((float(case.get("time", "0").replace(",", "")), name))
            for fault in [*case.findall("failure"), *case.findall("error")]:
                output = case.findtext("system-out") or ""
                seeds = [line for line in output.splitlines() if "seed" in line.lower()][-MOST_LINES:]
                print(f"\n## {name} failed\n")
                for line in [*seeds, *(fault.text or "").splitlines()[:MOST_LINES]]:
                    print(f"    {line}")
    print("\n| Test | Seconds |\n|---|---|")
    for seconds, name in sorted(longest, reverse=True)[:LONGEST]:
        print(f"| {name} | {seconds:.0f} |")


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
    if "--long" in sys.argv:
        details()
    for complaint in complaints:
        print(f"FAIL: {complaint}", file=sys.stderr)
    return 1 if complaints or failed else 0


sys.exit(main())
