"""What the documents show is what the tool prints."""

from __future__ import annotations

import pytest

from tests.docs.render import ROOT, render


@pytest.mark.parametrize("name", ["README.md"])
def test_commands_print_what_the_document_shows(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert render(text) == text
