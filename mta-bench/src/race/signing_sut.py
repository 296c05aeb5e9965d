"""Systems that sign each message with DKIM (RSA, 2048 bits) while they relay, for the benchmark harness.

    WARM=60000 PYTHONPATH=<harness>:mta-bench/src/race python3 mta-bench/src/race/warm.py relay \\
        --sut signing_sut:Postfix,signing_sut:Slipstream --rounds 3 --n 10000 --sessions 20 --reuse

Postfix signs by OpenDKIM as a milter (Debian's opendkim), and Slipstream itself, at the delivery. Both processes of
Postfix are in one accounting group. The sink does not check the signatures; the tests of the project do."""
import os
import shlex
import subprocess

import benchlib as B
import slipstream_sut
from suts import postfix

DOMAIN = "client.test"
MILTER = "inet:8891@127.0.0.1"


class Postfix(postfix.Adapter):
    def __init__(self):
        super().__init__(True)

    @property
    def dir(self):
        return os.path.join(B.RUN, "postfix-signing")

    def configure(self):
        super().configure()
        key = self.dir + "/key.pem"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, stderr=subprocess.DEVNULL)
        with open(self.dir + "/opendkim.conf", "w") as f:
            f.write(f"Socket {MILTER}\nDomain {DOMAIN}\nSelector s\nKeyFile {key}\nMode s\nInternalHosts 127.0.0.0/8\n"
                    "RequireSafeKeys false\nSyslog no\nCanonicalization relaxed/relaxed\nBackground no\n")
        with open(self.dir + "/etc/main.cf", "a") as f:
            f.write("smtpd_milters = inet:127.0.0.1:8891\nmilter_default_action = tempfail\n")

    def start_cmd(self):
        sign = shlex.join(["opendkim", "-f", "-x", self.dir + "/opendkim.conf"])
        return ["sh", "-c", f"{sign} & exec {shlex.join(super().start_cmd())}"]

    def version(self):
        return super().version() + " with OpenDKIM"


class Slipstream(slipstream_sut.Adapter):
    @property
    def dir(self):
        return os.path.join(B.RUN, "slipstream-signing")

    def configure(self):
        super().configure()
        # No DNS has the record, so the key is ordered to sign.
        for order in (["new", DOMAIN, "--algorithm", "rsa", "--selector", "s"], ["rotate", DOMAIN, "--force"]):
            subprocess.run([slipstream_sut.ROOT + "/mta", "--home", self.home, "dkim", *order], check=True,
                           stdout=subprocess.DEVNULL)

    def version(self):
        return super().version() + ", signing"
