"""Statements over many rows."""

import pytest
from django.db import connection

from studio.store.sql import MAX_PARAMETERS, Sql, marks, parts


def test_more_rows_than_one_statement_takes_are_parted():
    rows = list(range(2 * MAX_PARAMETERS + 1))

    assert [len(part) for part in parts(rows)] == [MAX_PARAMETERS, MAX_PARAMETERS, 1]
    assert [row for part in parts(rows, columns=7) for row in part] == rows


@pytest.mark.django_db(transaction=True)
def test_a_statement_takes_as_many_parameters_as_a_part_has():
    ids = [f"e_{number}" for number in range(MAX_PARAMETERS)]

    rows = Sql(connection).rows(("id",), f"FROM studio_pendingevent WHERE id IN ({marks(len(ids))})", ids)

    assert rows == []


@pytest.mark.django_db(transaction=True)
def test_rows_come_back_in_their_order_and_with_every_character():
    sql = Sql(connection)
    texts = ['"quoted" \\ back', "안녕 🌱", "عربي", "two\nlines", ""]
    sql.insert("studio_pin", ("sha256", "text"), [(f"{9 - number}", text) for number, text in enumerate(texts)])

    rows = sql.rows(("text",), "FROM studio_pin ORDER BY sha256 DESC")

    assert [text for (text,) in rows] == texts
