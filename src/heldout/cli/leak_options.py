"""The options that the commands of `heldout leak` share, declared once: how to read, to normalise and to compare."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from heldout.errors import UsageError

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from heldout.domain.leaks.leak import LeakSettings
    from heldout.services.leaks.read import LeakRequest


class ShingleKind(StrEnum):
    """As `heldout.domain.leaks.leak.Shingles`, which is imported only by a command that runs."""

    CHARS = "chars"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class LeakOptions:
    """Values as they were given; `settings` and `request` are what services take."""

    no_whitespace: Annotated[bool, typer.Option("--no-whitespace", help="Keep whitespace as it is.")] = False
    no_case: Annotated[bool, typer.Option("--no-case", help="Keep upper and lower case apart.")] = False
    no_punctuation: Annotated[bool, typer.Option("--no-punctuation", help="Keep ASCII punctuation.")] = False
    nfkc: Annotated[bool, typer.Option("--nfkc", help="Also fold Unicode's compatibility forms.")] = False
    threshold: Annotated[str, typer.Option(metavar="JACCARD", help="Near from here on: above 0, at most 1.")] = "0.60"
    shingles: Annotated[ShingleKind, typer.Option(help="Shingles of characters, or of words.")] = ShingleKind.CHARS
    k: Annotated[
        int | None, typer.Option("--k", min=1, max=64, help="Length of a shingle: 5 characters, or 3 words.")
    ] = None
    num_perm: Annotated[int, typer.Option(min=1, max=4096, help="Minima a text is known by.")] = 128
    min_length: Annotated[int, typer.Option(min=1, help="Characters from which on a text can be contained.")] = 16
    estimate: Annotated[bool, typer.Option("--estimate", help="Decide near by estimates, as EvalLeak did.")] = False
    exact_join: Annotated[bool, typer.Option("--exact-join", help="Miss no near pair: no bands.")] = False
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")] = None
    id_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the id.")] = None
    split_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column of a row's split.")] = None
    split: Annotated[list[str] | None, typer.Option(metavar="FILE=SPLIT", help="Name a file's split.")] = None
    file_format: Annotated[
        str | None, typer.Option("--file-format", metavar="NAME", help="Instead of by the suffix.")
    ] = None
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of text files.")] = "utf-8"
    columns: Annotated[str | None, typer.Option(metavar="A,B,...", help="Names, where no header has them.")] = None
    records: Annotated[str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are.")] = None

    def settings(self) -> LeakSettings:
        """Raises UsageError for values that no comparison can be made with."""
        from heldout.domain.leaks.leak import LeakSettings, Shingles
        from heldout.domain.leaks.text import Steps

        if self.estimate and self.exact_join:
            message = "--estimate decides by minima, --exact-join by the sets: choose one"
            raise UsageError("options-exclude", message, hint="--exact-join")
        kind = Shingles(self.shingles)
        return LeakSettings(
            steps=Steps(not self.no_whitespace, not self.no_case, not self.no_punctuation, self.nfkc),
            shingles=kind,
            k=kind.usual_length if self.k is None else self.k,
            num_perm=self.num_perm,
            threshold=_threshold(self.threshold),
            min_length=self.min_length,
            estimate=self.estimate,
            exact_join=self.exact_join,
        )

    def request(self, files: Sequence[str], source_field: str | None = None) -> LeakRequest:
        from heldout.services.leaks.read import LeakRequest

        return LeakRequest(
            files=tuple(files),
            text_field=self.text_field,
            id_field=self.id_field,
            source_field=source_field,
            split_field=self.split_field,
            format=self.file_format,
            encoding=self.encoding,
            columns=tuple(self.columns.split(",")) if self.columns else (),
            records=self.records,
            splits=dict(_named_split(text) for text in self.split or ()),
        )

    @staticmethod
    def percentage(flag: str, text: str) -> Decimal:
        """A number from 0 to 100, exact as it was written."""
        value = _decimal(text)
        if value is None or not 0 <= value <= 100:
            raise UsageError("bad-value", f"{flag} {text}: expected per cent, from 0 to 100", hint=f"{flag} 2.0")
        return value


def shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each field of `LeakOptions` as an option, in the place of its parameter `options`."""
    options = _as_parameters()
    own = inspect.signature(command, eval_str=True).parameters.values()
    placed = [one for parameter in own for one in (options if parameter.name == "options" else (parameter,))]

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        given = LeakOptions(**{option.name: values.pop(option.name) for option in options})
        command(**values, options=given)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in placed]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


@functools.cache
def _as_parameters() -> tuple[inspect.Parameter, ...]:
    """Made once for all commands: every start of the program pays for it."""
    types = get_type_hints(LeakOptions, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    return tuple(
        inspect.Parameter(item.name, keyword, default=item.default, annotation=types[item.name])
        for item in fields(LeakOptions)
    )


def _threshold(text: str) -> Fraction:
    from fractions import Fraction

    value = _decimal(text)
    if value is None or not 0 < value <= 1 or value.as_tuple().exponent < -9:  # type: ignore[operator]
        message = f"--threshold {text}: expected a decimal above 0 and at most 1, with 9 decimals at most"
        raise UsageError("bad-value", message, hint="--threshold 0.6")
    return Fraction(value)


def _decimal(text: str) -> Decimal | None:
    from decimal import Decimal, InvalidOperation

    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _named_split(text: str) -> tuple[str, str]:
    file, equals, name = text.rpartition("=")
    if not (file and equals and name.strip()):
        raise UsageError("bad-split-option", f"--split {text}: expected FILE=SPLIT", hint="--split data/a.csv=train")
    return file, name
