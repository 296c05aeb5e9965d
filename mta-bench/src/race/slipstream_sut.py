"""Slipstream for the benchmark harness that measures mail servers side by side.

    PYTHONPATH=mta-bench/src/race python3 <harness>/bench.py relay --sut postfix-tuned,slipstream_sut:Adapter ...

Runs the packaged program (mta-dist/target/slipstream, built by ./mta) in a home folder of its own.

`slipstream_sut:Shards2` is the same server with two shards, `Shards4` with four, and so on, so that one run races them.
SHARD_MODE is its `shard.mode` (static). `slipstream_sut:Events` writes events, and `slipstream_sut:Webhook` also posts them to
a receiver of this file, which takes all (`python3 slipstream_sut.py PORT`)."""
import http.client, http.server, json, os, socket, subprocess, sys

import benchlib as B
from suts.base import Sut, fresh

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Adapter(Sut):
    shards = 1
    # A JVM compiles the busy code during the first tens of thousands of messages.
    warm = int(os.environ.get("WARM", "60000"))
    durability = "message appended to the log and synced, then 250; the index in H2 follows later"

    @property
    def dir(self):
        return os.path.join(B.RUN, "slipstream" if self.shards == 1 else f"slipstream-shards{self.shards}")

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
        if self.shards > 1:
            lines += ["[shard]", f"count = {self.shards}", f'mode = "{os.environ.get("SHARD_MODE", "static")}"']
        lines += self.further()
        lines.append("[routes]")
        lines += [f'"{d}" = "smtp:{h}:{p}"' for d, (h, p) in self.routes.items()]
        lines.append(f'"*" = "smtp:{self.default[0]}:{self.default[1]}"')
        with open(self.home + "/mta.toml", "w") as f:
            f.write("\n".join(lines) + "\n")

    def further(self):
        return []

    def config_text(self):
        return open(self.home + "/mta.toml").read()

    def start_cmd(self):
        return [ROOT + "/mta", "run", "--home", self.home]

    def queue_length(self):
        asker = http.client.HTTPConnection("localhost", timeout=60)
        asker.sock = socket.socket(socket.AF_UNIX)
        asker.sock.connect(self.home + "/run/admin.sock")
        asker.request("GET", "/api/v1/status")
        return json.load(asker.getresponse())["messages"]

    def list_cmd(self):
        return [ROOT + "/mta", "--home", self.home, "queue", "list"]

    def version(self):
        return "Slipstream, this tree" + (f", {self.shards} shards" if self.shards > 1 else "")


class Events(Adapter):
    @property
    def dir(self):
        return os.path.join(B.RUN, "slipstream-" + type(self).__name__.lower())

    def further(self):
        return ["[events]", 'keep = "1d"']


class Webhook(Events):
    receiver_port = 8099

    def further(self):
        secret = self.home + "/webhook-secret"
        with open(secret, "w") as f:
            f.write("whsec_c2xpcHN0cmVhbSBzbGlwc3RyZWFtIHNsaXBzdHJlYW0=\n")
        os.chmod(secret, 0o600)
        return super().further() + ["[webhook.race]", f'url = "http://127.0.0.1:{self.receiver_port}/"', "batch = 100",
                                    "private-addresses = true", f'secret-file = "{secret}"']

    def start(self, *arguments, **options):
        self.receiver = subprocess.Popen([sys.executable, __file__, str(self.receiver_port)])
        return super().start(*arguments, **options)

    def stop(self, *arguments, **options):
        try:
            return super().stop(*arguments, **options)
        finally:
            self.receiver.terminate()
            self.receiver.wait()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def __getattr__(name):
    """Shards<n>: the adapter with n shards."""
    number = name.removeprefix("Shards")
    if number == name or not number.isdecimal():
        raise AttributeError(name)
    return type(name, (Adapter,), {"shards": int(number)})


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
