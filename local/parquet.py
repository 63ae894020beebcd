"""Parquet files on the laptop, by DuckDB."""

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import simplejson

from gpucost.domain.prices.bill import NET_COLUMNS, REQUIRED, SPLIT
from local.errors import UsageError


def bill_as_csv(file: Path) -> bytes:
    """The columns of a Parquet bill that matter, as the CSV export writes them. UsageError without DuckDB."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise UsageError(f"{file} is Parquet, which needs DuckDB here: pip install duckdb") from None
    with duckdb.connect() as engine:
        try:
            columns = engine.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(file)]).description or []
            there = [name for name in (*REQUIRED, *NET_COLUMNS, *SPLIT) if name in {column[0] for column in columns}]
            found = engine.execute(f"SELECT {', '.join(map(_as_text, there))} FROM read_parquet(?)", [str(file)])  # noqa: S608
            out = io.StringIO()
            writer = csv.writer(out)
            writer.writerow(there)
            while rows := found.fetchmany(10_000):
                writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
        except duckdb.Error as error:
            raise UsageError(f"{file} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    return out.getvalue().encode()


def _as_text(column: str) -> str:
    if column.endswith("_date"):
        return f"strftime({column}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.000Z') AS {column}"
    if column.endswith(("_cost", "_amount")):
        return f"CAST(CAST({column} AS DECIMAL(38, 15)) AS VARCHAR) AS {column}"
    return column


def write_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], file: Path) -> None:
    """Rows as Parquet: figures as DECIMAL(38, 12), everything else as text, unknown as null. UsageError without DuckDB.

    A column is of figures when its first value that is known is one.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise UsageError("Parquet needs DuckDB here: pip install duckdb") from None
    kinds = [_kind(next((row[name] for row in rows if row.get(name) is not None), None)) for name in columns]
    fields = ", ".join(f'"{name}" {kind}' for name, kind in zip(columns, kinds, strict=True))
    with duckdb.connect() as engine:
        engine.execute(f"CREATE TABLE costs ({fields})")
        if rows:
            marks = ", ".join("?" for _ in columns)
            values = [[_value(row.get(name)) for name in columns] for row in rows]
            engine.executemany(f"INSERT INTO costs VALUES ({marks})", values)  # noqa: S608
        engine.execute("COPY costs TO ? (FORMAT parquet, COMPRESSION zstd)", [str(file)])


def _kind(value: object) -> str:
    return "DECIMAL(38, 12)" if isinstance(value, Decimal | int) else "VARCHAR"


def _value(value: object) -> object:
    return simplejson.dumps(value, use_decimal=True) if isinstance(value, dict | list) else value
