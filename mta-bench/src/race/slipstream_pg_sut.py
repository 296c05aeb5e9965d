"""Slipstream with its queue index in PostgreSQL, for the same harness, beside the one with H2.

    warm.py relay --sut slipstream_sut:Adapter,slipstream_pg_sut:Adapter ...

Each system has a PostgreSQL of its own: Debian's programs, a data folder that `wipe` makes again, a port on loopback
(BENCH_PG_PORT, 5499). Its settings are the ones that initdb writes, so each commit is synced. The server's processes belong to
the system's accounting group: their processor time and their memory count."""
import glob, os, subprocess, time

import slipstream_sut
import benchlib as B
from suts.base import fresh

PORT = int(os.environ.get("BENCH_PG_PORT", "5499"))
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:]
# PostgreSQL refuses to run as root; Debian's package makes this user.
OWNER = "postgres"

RUN = """
runuser -u {owner} -- {programs}/pg_ctl -s -w -D {data} -l {data}/log start &&
exec "$@"
"""


class Adapter(slipstream_sut.Adapter):
    durability = "message appended to the log and synced, then 250; the index in PostgreSQL follows"

    @property
    def dir(self):
        return os.path.join(B.RUN, "slipstream-pg")

    @property
    def data(self):
        return os.path.join(self.dir, "data")

    def program(self, name, *arguments):
        subprocess.run(["runuser", "-u", OWNER, "--", os.path.join(PROGRAMS[0], name), *arguments],
                       check=True, cwd="/", stdout=subprocess.DEVNULL)

    def wipe(self):
        super().wipe()
        fresh(self.data, (OWNER, OWNER), 0o700)
        self.program("initdb", "-D", self.data, "-U", "slipstream", "-A", "trust", "--no-sync")
        with open(self.data + "/postgresql.conf", "a") as f:
            f.write(f"listen_addresses = '127.0.0.1'\nport = {PORT}\nunix_socket_directories = '{self.data}'\n")

    def configure(self):
        super().configure()
        with open(self.home + "/mta.toml", "a") as f:
            f.write(f'[spool]\nregister = "jdbc:postgresql://127.0.0.1:{PORT}/postgres?user=slipstream"\n')

    def start_cmd(self):
        return ["sh", "-c", RUN.format(owner=OWNER, programs=PROGRAMS[0], data=self.data), "sh", *super().start_cmd()]

    def stop(self, grace=15):
        """The mail server first, then its database, so that neither is killed."""
        begun = time.time()
        if self.p.poll() is None:
            os.kill(self.main_pid(), self.stop_signal)
        while self.p.poll() is None and time.time() < begun + grace:
            time.sleep(0.02)
        if os.path.exists(self.data + "/postmaster.pid"):
            self.program("pg_ctl", "-s", "-w", "-m", "fast", "-D", self.data, "stop")
        super().stop(grace)
        return time.time() - begun

    def version(self):
        out = subprocess.run([PROGRAMS[0] + "/postgres", "--version"], capture_output=True, text=True).stdout.strip()
        return super().version() + ", " + out
