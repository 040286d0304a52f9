"""Tasks on all cores: the next that waits is taken by the next hand that is free."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

GLANCE_SECONDS = 0.1  # between two looks at how far the threads are


def share_out(
    tasks: int,
    work: Callable[[Iterator[int]], None],
    stop: Event,
    watch: Callable[[], None],
    threads: int | None,
) -> None:
    """Let each thread work through an iterator that gives each task once, to whoever asks first.

    `watch` is called now and then, and `stop` is set when all is done, or when an exception is raised in
    `watch` or in a thread, or by an interrupt: then the threads are expected to return soon.
    """
    threads = min(threads or cores(), tasks)
    waiting = iter(range(tasks))
    with ThreadPoolExecutor(threads) as pool:
        try:
            working = {pool.submit(work, waiting) for _ in range(threads)}
            while working:
                ended, working = wait(working, timeout=GLANCE_SECONDS)
                for worker in ended:
                    worker.result()
                watch()
        finally:
            stop.set()


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
