"""Slipstream for the benchmark harness that measures mail servers side by side.

    PYTHONPATH=mta-bench/src/race python3 <harness>/bench.py relay --sut postfix-tuned,slipstream_sut:Adapter ...

Runs the packaged program (mta-dist/target/slipstream, built by ./mta) in a home folder of its own."""
import json, os, urllib.request

import benchlib as B
from suts.base import Sut, fresh

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Adapter(Sut):
    # A JVM learns its work in the first ten thousands of messages.
    warm = int(os.environ.get("WARM", "60000"))
    durability = "letter appended to a segment and synced, then its register row in H2 and synced (CHECKPOINT SYNC), then 250"

    @property
    def dir(self):
        return os.path.join(B.RUN, "slipstream")

    @property
    def home(self):
        return os.path.join(self.dir, "home")

    def wipe(self):
        fresh(self.home)

    def configure(self):
        os.makedirs(self.home, exist_ok=True)
        conc = self.conc if self.bulk_limits else 50
        lines = [
            'hostname = "mta.bench.test"',
            "[listen]",
            f'smtp = "127.0.0.1:{B.MTA_PORT}"',
            'submission = "off"',
            "[log]", "level = \"warn\"", "[limits]",
            "connections-per-client = 1000",
            "recipients = 50000",
            "messages-per-connection = 1000000",
            "[queue]", "in-flow-delay = \"0s\"",
            f"lanes-per-destination = {conc}",
            f"recipients-per-delivery = {2 if self.bulk_limits else 50}",
        ]
        if self.mode == "hold":
            lines.append("deliver = false")
        lines.append("[routes]")
        lines += [f'"{d}" = "smtp:{h}:{p}"' for d, (h, p) in self.routes.items()]
        lines.append(f'"*" = "smtp:{self.default[0]}:{self.default[1]}"')
        with open(self.home + "/mta.toml", "w") as f:
            f.write("\n".join(lines) + "\n")

    def config_text(self):
        return open(self.home + "/mta.toml").read()

    def start_cmd(self):
        return [ROOT + "/mta", "run", "--home", self.home]

    def queue_length(self):
        port = open(self.home + "/run/admin.port").read().strip()
        token = open(self.home + "/run/admin.token").read().strip()
        ask = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/status", headers={"Authorization": "Bearer " + token})
        return json.load(urllib.request.urlopen(ask, timeout=60))["messages"]

    def list_cmd(self):
        return [ROOT + "/mta", "--home", self.home, "queue", "list"]

    def version(self):
        return "Slipstream, this tree"
