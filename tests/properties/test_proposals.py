"""Whatever the table: its proposal is a plan that can be run, and says why of every column."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import Faults
from microagg.proposal import propose
from microagg.tables import read

COLUMNS = (
    st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.booleans()
    | st.dates()
    | st.datetimes()
    | st.text(max_size=3)
    | st.sampled_from(["low", "medium", "high", "10-19", "20-29", "007", "1,5"])
)
NAMES = st.sampled_from(
    ["id", "name", "weight", "person", "icd", "zip", "age", "weight 2", "Person-ID"]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@st.composite
def tables(draw):
    records = draw(st.integers(5, 40))
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    columns = {}
    for name in names:
        few = draw(st.lists(COLUMNS, min_size=1, max_size=6).filter(lambda of: len(set(map(type, of))) == 1))
        few = [*few, None] if draw(st.booleans()) else few
        values = pa.array([few[place % len(few)] for place in range(records)])
        columns[name] = values.dictionary_encode() if draw(st.booleans()) else values
    return pa.table(columns)


@given(tables())
def test_every_column_has_a_role_and_a_reason_and_the_plan_can_be_run(table):
    proposal = propose(table)
    plan = proposal.plan
    assert list(proposal.reasons) == table.column_names
    assert all(proposal.reasons.values())
    assert (plan.keep, plan.strata) == ((), ())
    if plan.quasi_identifiers:
        assert plan.faults() == plan.faults_for(table.column_names, table.num_rows) == []
    one = () if plan.weight is None else (plan.weight,)
    assert set(plan.kinds) == {*plan.quasi_identifiers, *plan.sensitive, *one}
    faults = Faults()
    for name in plan.quasi_identifiers:
        faults.attempt(read(table).encoded, name, plan.kinds[name], plan.orders.get(name, ()))
    assert [fault for fault in faults if "finite" not in fault and "spans more" not in fault] == []
