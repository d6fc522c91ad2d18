"""The checker finds what it is there for."""

from __future__ import annotations

from tests.sql_quality.checker import problems

GOOD = """\
-- What it is about.

INCLUDE PERFETTO MODULE graphs.scan;

-- A table; 'select' and like in a comment are no code.
CREATE PERFETTO TABLE pypto_good(
  -- A column.
  id LONG,
  -- A column whose type has parentheses,
  -- and whose comment has two lines.
  slice_id JOINID(slice.id)
) AS
SELECT
  1 AS id,
  'select from' AS slice_id;

-- A macro.
CREATE PERFETTO MACRO _pypto_macro(
    -- An argument.
    source TableOrSubquery
)
RETURNS Expr AS
(SELECT count() FROM $source AS t WHERE t.name GLOB 'a*');
"""

BAD = """\
INCLUDE PERFETTO MODULE graphs.*;

CREATE PERFETTO TABLE good(
  id LONG
) AS
select 1 AS id FROM slice WHERE name LIKE 'a%';

-- No columns.
CREATE PERFETTO TABLE pypto_Bare AS
SELECT 'a literal that makes its line far too long' AS text, 'and then some more' AS b;

-- Arguments on the line of the name.
CREATE PERFETTO FUNCTION _pypto_f(a LONG)
RETURNS LONG AS\t
SELECT $a;

-- A plain view.
CREATE VIEW pypto_plain AS
SELECT 1;
"""


def test_good():
    assert list(problems("pypto.good", GOOD)) == []


def test_bad():
    assert list(problems("pypto.bad", BAD)) == [
        "the first lines don't say what the module is about",
        "line 10 has 87 characters",
        "line 14 has a tab or ends with a space",
        "the keyword select is not in capitals",
        "LIKE ignores case: GLOB doesn't",
        "CREATE without PERFETTO",
        "an include of many modules",
        "something is created that is no PERFETTO TABLE, VIEW, FUNCTION or MACRO",
        "good begins neither with pypto_ nor with _pypto_",
        "good has no comment",
        "good.id has no comment",
        "pypto_Bare is not in lower case",
        "pypto_Bare is public and declares no columns",
        "_pypto_f has columns or arguments that don't stand on lines of their own",
    ]
