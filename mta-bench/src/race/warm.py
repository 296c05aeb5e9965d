"""The harness's relay and accept with systems that have been at work for a while.

    WARM=60000 PYTHONPATH=<harness>:mta-bench/src/race python3 mta-bench/src/race/warm.py relay --sut postfix-tuned,slipstream_sut:Adapter ...

The harness sends 200 messages before it measures, which is a cold start to a JVM. Here each system first
gets the number of messages in its adapter's `warm` (3,000 by default) through the same ports, and is then measured as usual."""
import subprocess

import bench
import benchlib as B

ORDINARY = 3000
plainly = bench.start


def warm_of(system):
    return getattr(system, "warm", ORDINARY)


def relay(system, asked):
    plainly(system)
    try:
        before = bench.relay_once(system, warm_of(system), asked.size, asked.sessions, asked.reuse, asked.timeout)
        return {**bench.relay_once(system, asked.n, asked.size, asked.sessions, asked.reuse, asked.timeout), "before": before}
    finally:
        system.stop()


def start(system, **options):
    plainly(system, **options)
    if options.get("mode") == "hold":
        subprocess.run(B.source_cmd(warm_of(system), 4096, 20, reuse=True), timeout=300, check=True, stderr=subprocess.DEVNULL)


bench.sc_relay = relay
bench.start = start
bench.main()
