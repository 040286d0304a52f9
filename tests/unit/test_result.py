"""The account of a release: what is in it, who may read it, and how it is confirmed."""

from __future__ import annotations

import hashlib
import json
import stat

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microagg import fingerprint, protect
from microagg.errors import InputError

FIRMS = pa.table({"firm": list("abcdef"), "staff": [1, 2, 3, 40, 50, 60], "rate": [0.5, None, 2.0, 4, 4, 5]})


@pytest.fixture
def given(tmp_path):
    path = tmp_path / "firms.csv"
    path.write_text("firm,staff\na,1\nb,2\nc,3\nd,40\ne,50\nf,60\n")
    return path


def released(given, to=None):
    return protect(given, 3, "staff", drop="rest", to=to, method="mdav")


def test_the_account_tells_all_but_the_data(given, tmp_path):
    result = released(given, tmp_path / "safe.csv")
    result.save_account(tmp_path / "account.json", key=tmp_path / "audit.key")
    account = json.loads((tmp_path / "account.json").read_text())
    assert account.pop("internal").startswith("not for release")
    assert account == {
        "written": str(tmp_path / "safe.csv"),
        "fingerprints": {
            "input (HMAC-SHA256)": result.fingerprints.input,
            "output (SHA-256)": hashlib.sha256((tmp_path / "safe.csv").read_bytes()).hexdigest(),
        },
        "versions": dict(result.versions),
        "plan": json.loads(json.dumps(vars(result.plan))),
        "method": {"name": "mdav", "account": {}},
        "loss": {"percent": result.loss.percent, "by_column": {"staff": result.loss.percent}},
        "classes": {**vars(result.classes), "sizes": {"3": 2}},
        "seconds": dict(result.seconds),
        "notes": list(result.notes),
    }
    assert account["plan"]["seed"] == 0


def test_only_who_holds_the_key_can_confirm_the_input(given, tmp_path):
    result = released(given)
    account, key = tmp_path / "account.json", tmp_path / "audit.key"
    result.save_account(account, key=key)
    told = json.loads(account.read_text())["fingerprints"]["input (HMAC-SHA256)"]
    assert told == fingerprint(given, key=key) == fingerprint(given, key=result.fingerprints.key)
    plain = fingerprint(given)
    assert plain == hashlib.sha256(given.read_bytes()).hexdigest()
    for text in (account.read_text(), repr(result)):
        assert plain not in text
        assert result.fingerprints.key.hex() not in text
        assert repr(result.fingerprints.key)[2:-1] not in text
    given.write_text(given.read_text().replace("60", "61"))
    assert fingerprint(given, key=key) != told


def test_one_key_serves_for_many_accounts(given, tmp_path):
    key = tmp_path / "audit.key"
    tellings = []
    for place in range(2):
        result = released(given)
        result.save_account(tmp_path / f"{place}.json", key=key)
        account = json.loads((tmp_path / f"{place}.json").read_text())
        tellings.append(account["fingerprints"]["input (HMAC-SHA256)"])
    assert tellings == [fingerprint(given, key=key)] * 2


def test_without_a_key_file_the_account_has_the_one_that_was_drawn(given, tmp_path):
    result = released(given)
    result.save_account(tmp_path / "account.json")
    account = json.loads((tmp_path / "account.json").read_text())
    assert account["fingerprints"]["input (HMAC-SHA256)"] == fingerprint(given, key=result.fingerprints.key)
    assert account["written"] is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["account.json", "firms.csv"]


def test_account_and_key_are_for_their_owner_alone(given, tmp_path):
    released(given).save_account(tmp_path / "account.json", key=tmp_path / "audit.key")
    for name in ("account.json", "audit.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_an_account_that_cannot_be_written_leaves_the_old_one(given, tmp_path):
    account, key = tmp_path / "account.json", tmp_path / "audit.key"
    account.write_text("old")
    key.write_text("no key")
    with pytest.raises(InputError, match="holds no key"):
        released(given).save_account(account, key=key)
    assert (account.read_text(), key.read_text()) == ("old", "no key")
    with pytest.raises(InputError, match="cannot be written"):
        released(given).save_account(tmp_path / "absent" / "account.json")


def test_what_a_method_tells_in_numbers_of_numpy_can_be_written(given, tmp_path):
    result = released(given)
    result.account["found"] = {"gamma": np.float64(0.5), "tried": np.arange(2)}
    result.save_account(tmp_path / "account.json")
    told = json.loads((tmp_path / "account.json").read_text())["method"]["account"]
    assert told == {"found": {"gamma": 0.5, "tried": [0, 1]}}


FRAMES = {
    "Arrow": lambda: FIRMS,
    "Arrow in pieces": lambda: pa.concat_tables([FIRMS.slice(0, 2), FIRMS.slice(2)]),
    "pandas": lambda: FIRMS.to_pandas(),
    "Polars": lambda: pl.DataFrame(FIRMS),
    "Polars, lazy": lambda: pl.LazyFrame(FIRMS),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_have_fingerprints_by_their_values(frame):
    result = protect(frame(), 3, ["staff", "rate"], drop="rest")
    assert result.fingerprints.input == fingerprint(frame(), key=result.fingerprints.key)
    assert result.fingerprints.output == fingerprint(result.data)
    assert result.fingerprints.output == protect(FIRMS, 3, ["staff", "rate"], drop="rest").fingerprints.output


def test_a_frame_that_changes_its_types_has_another():
    assert fingerprint(pd.DataFrame({"x": [1, 2]})) != fingerprint(pd.DataFrame({"x": [1.0, 2.0]}))
