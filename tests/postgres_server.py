"""A PostgreSQL server of our own, in a folder of its own, for as long as the tests take."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PASSWORD = "s3cr:et@#%/"
OWNER = "postgres"  # the user that Debian's package makes; root may not run a server


class Server(NamedTuple):
    """Where it listens, and how it is made to stop at once or to start."""

    port: int
    stop: Callable[[], None]
    start: Callable[[], None]

    def address(self, user: str = OWNER, password: str = PASSWORD, database: str = "postgres") -> str:
        from urllib.parse import quote

        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"


def programs() -> Path | None:
    """Return the folder of the server's programs, of the newest version there is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def why_not() -> str | None:
    """Say why no server can be started here."""
    if programs() is None:
        return "there is no PostgreSQL server: install Debian's package postgresql"
    if os.geteuid() == 0 and _owner() is None:
        return f"PostgreSQL does not run as root, and there is no user {OWNER}"
    return None


def _owner() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(OWNER)
    except KeyError:
        return None


@contextmanager
def running():
    """Start a server and stop it in the end."""
    folder = Path(tempfile.mkdtemp(prefix="microagg-postgres-"))
    as_owner = {}
    if os.geteuid() == 0:
        as_owner = {"user": OWNER, "group": _owner().pw_gid, "extra_groups": []}
        os.chown(folder, _owner().pw_uid, _owner().pw_gid)

    def run(program, *options):
        subprocess.run(
            [programs() / program, *options],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            **as_owner,
        )

    password = folder / "password"
    password.write_text(PASSWORD)
    password.chmod(0o644)
    data, port = folder / "data", _free_port()
    try:
        run(
            "initdb",
            "-D",
            data,
            "-U",
            OWNER,
            "-A",
            "scram-sha-256",
            f"--pwfile={password}",
            "-E",
            "UTF8",
            "--no-sync",
        )
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        server = Server(
            port,
            stop=lambda: run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"),
            start=lambda: run("pg_ctl", "-D", data, "-l", folder / "log", "-w", "-o", settings, "start"),
        )
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
