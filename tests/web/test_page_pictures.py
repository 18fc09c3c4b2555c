"""The pictures of the page are whole SVG documents of this repository."""

from __future__ import annotations

from xml.dom import minidom

import pytest
from web.conftest import Client


@pytest.mark.req("E39")
@pytest.mark.parametrize(
    ("name", "told"), [("versions", "banking77@v2.0.0"), ("similarity", "Similarity of the pairs found: all versions")]
)
def test_a_picture_is_an_svg_of_what_is_here(reading: Client, name: str, told: str) -> None:
    answer = reading.get(f"/pictures/{name}.svg")
    assert answer.status == 200, answer.text
    assert answer.headers["content-type"].startswith("image/svg+xml")
    root = minidom.parseString(answer.text).documentElement
    assert root is not None
    assert root.tagName == "svg"
    assert told in "".join(
        node.data
        for tag in ("text", "desc", "title")
        for found in root.getElementsByTagName(tag)
        for node in found.childNodes
    )
    assert f'src="/pictures/{name}.svg"' in reading.get("/datasets").text
