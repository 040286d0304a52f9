"""Sessions of Spark: one on this machine, started as it must be, and whether another can be used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from microagg.errors import InputError

_LEAST_SPARK, _LEAST_JAVA = 4, 17
_TRIES = 4  # of a task: a worker that dies is replaced, as on a cluster


def local_session(cores: int = 2, memory: str = "2g", **settings: str) -> Any:
    """Start Spark on this machine, or return the session that runs already.

    Its workers are of this Python, a worker that dies is replaced, and nothing listens for others.

    Parameters
    ----------
    cores
        How many tasks run at a time, each on a core.
    memory
        How much Spark may take; the Python workers, one for each core, come on top.
    settings
        Further settings of Spark, with two underscores for each dot: `spark__sql__shuffle__partitions="8"`.

    Raises
    ------
    InputError
        If PySpark or Java is not there, or too old: it says what to install.
    """
    require_startable()
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{cores},{_TRIES}]").appName("microagg")
    chosen = {name.replace("__", "."): value for name, value in settings.items()}
    for name, value in {**_SETTINGS, "spark.driver.memory": memory, **chosen}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def require_recent() -> None:
    """Raise InputError if PySpark is not there, or too old."""
    try:
        import pyspark
    except ImportError:
        raise InputError("PySpark is not installed: pip install 'microagg[spark]'") from None
    if int(pyspark.__version__.split(".")[0]) < _LEAST_SPARK:
        raise InputError(
            f"Spark {pyspark.__version__} is too old: version {_LEAST_SPARK} is the least; on this machine "
            "pip install 'microagg[spark]'"
        )


def require_startable() -> None:
    """Raise InputError if Spark cannot be started on this machine."""
    require_recent()
    _require_java()


def _require_java() -> None:
    """Raise InputError if there is no Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not java or not Path(java).exists():
        raise InputError(f"Spark needs Java, which is not here: {_INSTALL}")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    if not found or int(found[1]) < _LEAST_JAVA:
        version = f"Java {found[1]}" if found else "what stands there"
        raise InputError(f"Spark needs Java {_LEAST_JAVA}, and {version} in {java} is too old: {_INSTALL}")


_INSTALL = (
    f"install a Java runtime of version {_LEAST_JAVA} or later, as with apt-get install "
    f"openjdk-{_LEAST_JAVA}-jre-headless, and let JAVA_HOME name its folder"
)
