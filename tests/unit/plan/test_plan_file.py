"""A plan as a file: every plan comes back as it was, and every fault of a file is told at once."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.plan import CENTRES, KINDS, Plan

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "a.b",
        'say "x"',
        "it's",
        "line\nbreak",
        "\r\n",
        "\x00\x7f\x85",
        "größe",
        "名前",
        "rest",
        "role",
        "#",
        "]",
        "",
    ]
)
ROLES_OF_SEVERAL = ["quasi_identifiers", "sensitive", "strata", "keep", "drop"]


@st.composite
def plans(draw):
    """Draw a plan without faults, with columns of all sorts of names."""
    names = draw(st.lists(NAMES, min_size=1, max_size=9, unique=True))
    of = {role: [] for role in [*ROLES_OF_SEVERAL, "weight", "entity"]}
    of["quasi_identifiers"].append(names[0])
    for name in names[1:]:
        of[draw(st.sampled_from(sorted(of)))].append(name)
    request = {role: tuple(of[role]) for role in ROLES_OF_SEVERAL}
    request |= {role: of[role][0] if len(of[role]) == 1 else None for role in ("weight", "entity")}
    rest = draw(st.sampled_from(["keep", "drop", None]))
    if rest:
        request[rest] = "rest"
    protected = request["quasi_identifiers"]
    kinds = {name: draw(st.sampled_from(KINDS)) for name in protected if draw(st.booleans())}
    ordinal = [name for name in protected if kinds.get(name) == "ordinal"]
    return Plan(
        k=draw(st.integers(2, 10**20)),
        **request,
        kinds=kinds,
        orders={name: tuple(draw(st.lists(NAMES, min_size=2, unique=True))) for name in ordinal},
        centres={name: draw(st.sampled_from(CENTRES[kind])) for name, kind in kinds.items()},
        importance={name: draw(st.floats(0, 1e300) | st.integers(0, 9)) for name in protected},
        scale=draw(st.sampled_from(["zscore", "range", "robust", "none"])),
        missing=draw(st.sampled_from(["shared", "own-group", "error"])),
        small_strata=draw(st.sampled_from(["error", "merge"])),
        weight_release=draw(st.sampled_from(["mean", "keep", "drop"])),
        link_entities=request["entity"] is not None and draw(st.booleans()),
        edits=tuple(draw(st.lists(NAMES, max_size=3))),
        method=draw(st.sampled_from(["auto", "vmdav(gamma=0.2)"]) | NAMES),
        budget=draw(st.floats(0, 1e300, exclude_min=True) | st.integers(1, 9)),
        seed=draw(st.integers(0, 2**70)),
    )


@given(plan=plans(), told=st.text(st.characters(exclude_categories=["Cs"])))
def test_a_plan_that_was_saved_is_loaded_as_it_was(tmp_path_factory, plan, told):
    path = tmp_path_factory.getbasetemp() / "saved.toml"
    assert plan.faults() == []
    plan.save(path)
    assert Plan.load(path) == plan
    plan.save(path, reasons=dict.fromkeys(plan.quasi_identifiers, told))
    assert Plan.load(path) == plan


def loaded(folder, text):
    """Load a plan of this text or these bytes."""
    path = folder / "plan.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Plan.load(path)


def faults(folder, text):
    """Return what is wrong with a plan of this text; every fault names the file."""
    with pytest.raises(InputError) as caught:
        loaded(folder, text)
    start = str(folder / "plan.toml")
    assert all(fault.startswith(start) for fault in caught.value.faults)
    return [fault.removeprefix(start).removeprefix(": ") for fault in caught.value.faults]


SMALL = 'k = 3\n[columns."age"]\nrole = "quasi-identifier"\n'


@pytest.mark.parametrize(
    "content",
    [
        SMALL,
        "\ufeff" + SMALL,
        SMALL.replace("\n", "\r\n"),
        SMALL.replace('"age"', "age"),
        SMALL.replace('"', "'"),
        'k = 3\ncolumns = { age = { role = "quasi-identifier" } }',
        '# by hand\n\nk=3 # few\n[columns]\n"age".role = "quasi-identifier"',
    ],
    ids=["plain", "mark", "Windows", "bare", "single quotes", "one line", "dotted"],
)
def test_a_plan_may_be_written_as_toml_allows(tmp_path, content):
    assert loaded(tmp_path, content) == Plan(3, ("age",))


def test_reasons_stand_beside_their_columns_and_change_nothing():
    plan = Plan(3, ("age", "town"))
    text = plan.as_toml({"age": "seen\nin\x00two lines"})
    assert '\n[columns."age"]\n# seen in?two lines\nrole = "quasi-identifier"\n' in text
    assert text.count("#") == 2


def test_all_faults_of_a_file_are_told_at_once(tmp_path):
    text = """
k = "5"
scale = "zscor"
edits = "a >= b"
link_entities = "no"
metod = "mdav"
rest = "forget"
sensitive = ["ill"]
kinds = { age = "integer" }
[columns.age]
role = "quasi-identifer"
kind = 3
order = "x"
center = "median"
k = 4
[columns.town]
role = ["quasi-identifier"]
importance = "much"
[columns]
region = 5
"""
    assert faults(tmp_path, text) == [
        "the option 'metod' is not known: did you mean 'method'?",
        "'sensitive' is said column by column: write role = 'sensitive' under [columns.\"name\"]",
        "'kinds' is said column by column: write kind = ... under [columns.\"name\"]",
        "for the rest, 'forget' is not known: there are keep, drop",
        "the role of column 'age', 'quasi-identifer' is not known: did you mean 'quasi-identifier'?",
        "of column 'age', the word 'center' is not known: did you mean 'centre'?",
        "of column 'age', k is said: it holds for the whole table, write it above all columns",
        "the role of column 'town', ['quasi-identifier'] is not known: did you mean 'quasi-identifier'?",
        "column 'region': expected a table of its role and kind, found 5",
        "k must be a whole number, found '5'",
        "scale 'zscor' is not known: did you mean 'zscore'?",
        "link_entities must be true or false, found 'no'",
        "edits must be a list of texts, as in [\"total = wages + purchases\"], found 'a >= b'",
        "the kind of column 'age' must be a word, as in 'nominal', found 3",
        "the order of column 'age' must be a list of texts, from the least value to the greatest, found 'x'",
        "the importance of column 'town' must be a number from 0, found 'much'",
    ]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "k is not said: write, say, k = 5 on top"),
        ("k = 1", "k = 1 protects nobody: a group must hold at least 2 records"),
        ("k = 3\ncolumns = 3", 'columns: expected a table for each, as in [columns."age"], found 3'),
        (
            'k = 3\n[columns.firm.id]\nrole = "other"',
            "column 'firm' has a part 'id': put a name with a dot in quotes, as in [columns.\"firm.id\"]",
        ),
        (
            'k = 3\n[columns.a]\nrole = "weight"\n[columns.b]\nrole = "weight"',
            "columns 'a', 'b' cannot all be the weight: choose one",
        ),
        (
            "k = 3\nkeep = 'rest'",
            "'keep' is said column by column: write role = 'other' under [columns.\"name\"], "
            "or rest = 'keep' on top",
        ),
    ],
)
def test_a_fault_of_a_file_says_what_to_do(tmp_path, content, fault):
    assert faults(tmp_path, content) == [fault]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("k = 3\n[columns.a]\n[columns.a]", "the same name stands there more than once"),
        ("k = 3\nk = 4", "the same name stands there more than once"),
        (
            "k = 3\n[columns.firm id]",
            "found '[columns.firm id]'; put the names of columns, and all text, in double quotes",
        ),
        (
            "k = 3\nmethod = mdav",
            "found 'method = mdav'; put the names of columns, and all text, in double quotes",
        ),
        ("k = 3\nseed =", "is no plan: "),
        (SMALL.encode("utf-16"), "is no plan: it is not written in UTF-8; save it as that"),
        ("k = " + "[" * 9000, "is no plan: its values are nested too deep"),
    ],
)
def test_what_is_not_toml_is_answered_with_the_place_and_the_remedy(tmp_path, content, part):
    (fault,) = faults(tmp_path, content)
    assert part in fault


@given(st.binary())
def test_no_file_is_met_with_a_traceback(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp()
    with suppress(InputError):
        assert isinstance(loaded(folder, content), Plan)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml cannot be read: No such file or directory$"):
        Plan.load(tmp_path / "none.toml")


PLAN = Plan(3, ("age",))


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("", r"is a folder: name the file to write, as in .*/plan\.toml$"),
        ("nowhere/plan.toml", r"cannot be written: there is no folder .*/nowhere$"),
        ("pipe", r"is a device or a pipe: expected a file$"),
        ("a" * 300, r"cannot be written: File name too long$"),
    ],
)
def test_where_no_file_can_be_written_the_reason_is_told(tmp_path, place, reason):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=reason):
        PLAN.save(tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("plan", [replace(PLAN, k=1), Plan(3, ("a\ud800",))], ids=["faulty", "no text"])
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path, plan):
    path = tmp_path / "plan.toml"
    path.write_text("old")
    with pytest.raises(
        InputError, match=r"cannot be saved: k = 1 protects nobody|holds '\\ud800', which no file"
    ):
        plan.save(path)
    assert path.read_text() == "old"


def test_a_plan_can_be_saved_before_it_has_quasi_identifiers(tmp_path):
    Plan(3, (), drop=("name",)).save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == Plan(3, (), drop=("name",))


@pytest.mark.parametrize(("owner", "step"), [(os, "fsync"), (Path, "replace")])
def test_when_saving_fails_the_old_file_is_whole_and_nothing_is_left(tmp_path, monkeypatch, owner, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "plan.toml"
    path.write_text("old")
    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(InputError, match=r"plan\.toml cannot be written: No space left on device"):
        PLAN.save(path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["plan.toml"]


def test_a_link_stays_a_link_and_the_file_behind_it_keeps_its_rights(tmp_path):
    real, link = tmp_path / "real.toml", tmp_path / "link.toml"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    PLAN.save(link)
    assert link.is_symlink()
    assert Plan.load(real) == PLAN
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
