"""The page on plans: its file is a plan, and it names every key, role, kind and centre that there is."""

from __future__ import annotations

from dataclasses import fields

import pytest

from microagg.plan import CENTRES, KINDS, ROLES, Plan
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "plans.md").read_text()
(FILE,) = [block.content for block in blocks(PAGE) if block.language == "toml"]
BY_COLUMN = {"kinds": "kind", "orders": "order", "centres": "centre", "importance": "importance"}
OF_ROLES = {"quasi_identifiers", "keep", "drop", "sensitive", "weight", "strata", "entity"}
KEYS = [BY_COLUMN.get(field.name, field.name) for field in fields(Plan) if field.name not in OF_ROLES]


def test_the_file_on_the_page_is_a_plan_without_faults(tmp_path):
    (tmp_path / "plan.toml").write_text(FILE)
    assert Plan.load(tmp_path / "plan.toml").faults() == []


@pytest.mark.parametrize("key", [*KEYS, "rest", "role"])
def test_every_key_is_in_the_file_and_explained(key):
    assert f"\n{key} = " in FILE
    assert f"\n| `{key}` | " in PAGE


@pytest.mark.parametrize("word", [*ROLES, *KINDS])
def test_every_role_and_kind_is_explained(word):
    assert f"`{word}`" in PAGE


@pytest.mark.parametrize("kind", KINDS)
def test_the_centres_of_every_kind_are_listed(kind):
    (row,) = [
        line for line in PAGE.splitlines() if line.startswith("| `") and f"`{kind}`" in line.split("|")[1]
    ]
    assert row.split("|")[3].strip() == ", ".join(CENTRES[kind])
