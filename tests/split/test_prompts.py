"""A held-out example in a prompt file is found at commit: real sentences of banking77, real Git, real DVC."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.data import data_path
from support.git import Repo
from support.recorder import Recorder
from support.story import Team

from heldout.domain.splitting.case_words import windows, words_of
from heldout.domain.splitting.prompt_policy import PromptPolicy, pattern_problem
from heldout.domain.splitting.prompt_words import excerpts_of, placed_excerpts
from heldout.errors import ConfigError
from heldout.services.hooking.install import install
from heldout.storage.settings_file import parse_settings
from heldout.storage.splitting.excerpt_index import FOLDER, ExcerptIndex, keep_index, kept_index
from heldout.storage.splitting.prompt_files import parse_prompt

SENTENCE = "I have two separate cards linked to my account. Is there a limit to this"
"""Not in banking77; 15 words."""


def held_out() -> list[str]:
    """Texts of banking77's test split with ten words or more."""
    text = gzip.decompress(data_path("banking77/test.csv").read_bytes()).decode()
    return [row["text"] for row in csv.DictReader(text.splitlines(keepends=True)) if len(row["text"].split()) >= 10]


@pytest.fixture(scope="module")
def banking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """banking77 with its test split held out, committed, and prompts named in heldout.yaml."""
    base = tmp_path_factory.mktemp("banking")
    team = Team.start(base)
    for split in ("train", "test"):
        data = gzip.decompress(data_path(f"banking77/{split}.csv").read_bytes())
        team.write(f"datasets/banking77/{split}.csv", data)
    team.write(
        "datasets/banking77/dataset.yaml",
        "format: heldout/dataset@1\nname: banking77\n"
        "data:\n  - {path: train.csv, split: train}\n  - {path: test.csv, split: test}\n"
        "fields: {input: text, expected: category}\nholdout: [test]\n",
    )
    team.track(*(f"datasets/banking77/{split}.csv" for split in ("train", "test")))
    team.add("heldout.yaml", "format: heldout/project@1\nprompts:\n  - prompts/**/*.md\n  - chat.json\n")
    team.save("Add banking77")
    return base


@pytest.fixture
def team(banking: Path, tmp_path: Path) -> Team:
    shutil.copytree(banking, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Team(tmp_path / "work")


@pytest.mark.req("C15")
def test_a_banking77_test_sentence_pasted_into_a_prompt_is_found_at_commit(team: Team) -> None:
    sentence = held_out()[7]
    team.add("prompts/a/triage.md", f"# Triage\n\nClassify:\n\n> {sentence.upper()}\n")
    said = team.save("Add an example to the prompt")
    assert "prompts/a/triage.md:5: an excerpt of the held-out example banking77:test/" in said
    assert "[prompt_excerpt " in said
    assert sentence.lower() not in said.lower()
    # the same prompt is no news to a commit that does not touch it
    team.add("src/a.py", "x")
    assert team.save("Work") == ""
    # a second time from what was kept: no text is in there
    kept = [path for path in (team.path / ".heldout/cache/excerpts-2").iterdir() if path.is_file()]
    assert len(kept) == 1
    assert words_of(sentence)[0].encode() not in kept[0].read_bytes().split(b" ")
    team.add("chat.json", json.dumps({"messages": [{"role": "user", "content": f"Hi. {held_out()[11]}"}]}))
    assert "chat.json: an excerpt of the held-out example banking77:test/" in team.save("Add a chat")


@pytest.mark.req("C15")
def test_training_examples_and_other_files_may_be_anywhere(team: Team) -> None:
    text = gzip.decompress(data_path("banking77/train.csv").read_bytes()).decode()
    inside = {window for sentence in held_out() for window in windows(words_of(sentence))}
    train = [row["text"] for row in csv.DictReader(text.splitlines(keepends=True))]
    fine = next(
        sentence for sentence in train if len(sentence.split()) > 10 and not inside & {*windows(words_of(sentence))}
    )
    team.add("prompts/a.md", f"{fine}\n{SENTENCE}\n")
    team.add("notes/a.md", held_out()[7])
    assert team.save("Work") == ""


@pytest.mark.req("C15", "A51")
def test_policy_refuses_the_commit_and_nothing_is_staged(team: Team) -> None:
    settings = "format: heldout/project@1\nprompts:\n  files: [prompts]\n  block: true\n"
    team.add("heldout.yaml", settings)
    team.save("Block excerpts")
    before = team.head()
    team.add("prompts/x.txt", held_out()[3])
    done = team.run("commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "prompts/x.txt:1: an excerpt of" in done.stderr
    assert "nothing was committed" in done.stderr
    assert team.head() == before
    assert team.run("commit", "-q", "--no-verify", "-m", "x").returncode == 0
    verified = team.heldout("verify", "--trust-records")
    assert verified.code == 1
    assert "failed: prompts/x.txt" in verified.out


@pytest.mark.req("C15")
def test_a_dataset_or_the_settings_that_change_bring_all_prompts_up(team: Team) -> None:
    team.add("docs/few-shot.md", held_out()[5])
    assert team.save("Not a prompt yet") == ""
    team.add("heldout.yaml", "prompts: [docs/*.md]\n")
    assert "docs/few-shot.md:1: an excerpt of" in team.save("Name it")
    assert "reported: docs/few-shot.md:1" in team.heldout("verify", "--trust-records").out
    team.write("datasets/banking77/test.csv", f"text,category\n{SENTENCE},x\n".encode())
    team.add("docs/few-shot.md", SENTENCE[2:])
    team.save("Another example")
    team.track("datasets/banking77/test.csv")
    assert "docs/few-shot.md:1: an excerpt of" in team.save("Hold it out")


@pytest.mark.req("C15")
def test_without_the_data_it_says_so(team: Team) -> None:
    shutil.rmtree(team.path / ".dvc/cache")
    shutil.rmtree(team.path / ".heldout", ignore_errors=True)
    team.add("prompts/a.md", held_out()[7])
    assert "banking77: its held-out examples are not here" in team.save("Work")
    trusting = team.heldout("verify", "--trust-records")
    assert "reported: datasets/banking77: its held-out examples are not here" in trusting.out


@pytest.mark.req("C15")
def test_a_kept_index_without_the_data_is_no_clean_prompt(team: Team) -> None:
    """The index of an earlier commit says that something stands there; what it is only the data could tell."""
    team.add("prompts/a.md", "nothing to see")
    team.save("Keep an index")
    assert [*(team.path / FOLDER).iterdir()]
    shutil.rmtree(team.path / ".dvc/cache")
    team.add("prompts/a.md", held_out()[7])
    assert "banking77: its held-out examples are not here" in team.save("Work")
    trusting = team.heldout("verify", "--trust-records")
    assert "reported: datasets/banking77: its held-out examples are not here" in trusting.out


# --- when Python starts ---------------------------------------------------------------------------------------------


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder.create(tmp_path / "recorder")


@pytest.fixture
def repo(tmp_path: Path, recorder: Recorder) -> Repo:
    repo = Repo.create(tmp_path / "repo")
    repo.commit("start", readme="r")
    install(repo.door, str(recorder.path))
    return repo


@pytest.mark.parametrize(
    "settings",
    [
        "prompts:\n  - prompts/**/*.md\n",
        "format: heldout/project@1\nscan: {on_commit: true}\nprompts:\n- 'prompts/**/*.md'\n",
        'prompts: ["prompts/**/*.md", other.txt]\nscan: {on_commit: false}\n',
        "prompts: {files: [other.txt, prompts/**/*.md], block: true}\n",
        "prompts:\n  files:\n    - other.txt # a comment\n    - prompts/**/*.md\n  block: true\nformat: x\n",
        "prompts: [\n  prompts/**/*.md,\n  other.txt\n]\n",
        '{"format": "x", "prompts": ["prompts/**/*.md"]}\n',
        '{\n"format": "x",\n"prompts": [\n"prompts/**/*.md"\n]\n}\n',
        '"prompts": [prompts/**/*.md]\n',
        "prompts:\r\n  - prompts/**/*.md\r\n",
        "prompts:\n\n  # the few-shot ones\n  - prompts/**/*.md",
        'prompts: ["\\x70rompts/**/*.md"]\n',
        "prompts: [prompts]\n",
    ],
)
def test_python_starts_for_staged_prompts_alone(repo: Repo, recorder: Recorder, settings: str) -> None:
    repo.add("heldout.yaml", settings)
    repo.commit()
    recorder.calls()
    repo.add("prompts/deep/er/a.md", "x")
    repo.commit()
    assert recorder.calls() == ["pre-commit"]
    repo.write("prompts/a.md", "not staged")
    repo.add("src/prompts/a.md", "x")
    repo.commit()
    assert recorder.calls() == (["pre-commit"] if "\\" in settings else [])


def test_without_prompts_no_python_starts(repo: Repo, recorder: Recorder) -> None:
    repo.add("heldout.yaml", "format: heldout/project@1\nprotected_branches: [main]\n")
    repo.commit()
    recorder.calls()
    for path in ("prompts/a.md", "main", "x/protected_branches:"):
        repo.add(path, "x")
    repo.commit()
    assert recorder.calls() == []


@pytest.mark.parametrize(
    "pattern",
    ["prompts/*.md", "prompts/**/*.md", "**/*.prompt", "prompts", "a/**", "?.md", "**/p/x.md", "prompts/a.md"],
)
def test_patterns_mean_what_git_makes_of_them(repo: Repo, pattern: str) -> None:
    """Or the shell would not start what Python looks for."""
    paths = [
        "prompts/a.md",
        "prompts/b/c.md",
        "prompts/b/d/e.md",
        "x.prompt",
        "y/x.prompt",
        "a/x",
        "a/b/c",
        "a.md",
        "p/x.md",
    ]
    for path in (*paths, "q/p/x.md", "promptsx/a.md", "prompts.md"):
        repo.add(path, "x")
    listed = repo.git("ls-files", "--", f":(top,glob){pattern}").splitlines()
    every = repo.git("ls-files").splitlines()
    assert [path for path in every if PromptPolicy((pattern,)).matches(path)] == listed
    assert listed


@pytest.mark.parametrize(
    "pattern", ["", "/a", "../a", "a/../b", "a b", "[ab].md", "a,b", "a**", "x\\y", ":a", "./a", "a#b"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    assert pattern_problem(pattern)
    with pytest.raises(ConfigError, match=r"cannot stand|expected|whole folders") as caught:
        parse_settings(json.dumps({"prompts": ["fine.md", pattern]}).encode())
    assert caught.value.field == "prompts[1]"


@pytest.mark.parametrize(
    "text", ["prompts: 3", "prompts: {file: [a]}", "prompts: {files: [a], block: 1}", "prompts: [1]"]
)
def test_wrong_settings_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_settings(text.encode())


# --- parts ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.text("ab \n.", max_size=12), max_size=8).map(" ".join))
def test_excerpts_know_their_lines(text: str) -> None:
    found = [*placed_excerpts(text)]
    assert [excerpt for excerpt, _ in found if len(excerpt.split()) == 8] == [*windows(words_of(text))]
    lines = text.split("\n")
    for excerpt, line in found:
        assert excerpt.split()[0] in words_of(lines[line - 1])


SHORT = "Where's my new card?"
SET_APART = [
    SHORT,
    f"- {SHORT}",
    f"> {SHORT.upper()}",
    f"12. {SHORT}",
    f"User: {SHORT}",
    f"Question:\t{SHORT}\tAnswer:\tarrival",
    f"{SHORT} => card_arrival",
    f"{SHORT} -> card_arrival",
    f"| {SHORT} | card_arrival |",
    f'{{"text": "{SHORT}", "label": "card_arrival"}}',
    f"examples = ['{SHORT}', 'another']",
    "where's my new card,card_arrival",
    "where's my new card;card_arrival",
    "where's my new card\tcard_arrival",
    "where's my new card    card_arrival",
    f"Take “{SHORT}” for one.",
    f"<example>{SHORT}</example>",
    f"Hello. {SHORT} Please answer.",
    f"**{SHORT}**",
    f"Write `{SHORT}` so.",
    f"Q: {SHORT} A: arrival",
    f"User:{SHORT}",
    f"prompt = 'User: {SHORT}\\nAssistant: arrival\\n'",
    f"{SHORT} - card_arrival",
    f"{SHORT} — card_arrival",
    f"問題：{SHORT}。答え",
    f"«{SHORT}»",
    "Where's my\nnew card?",
]


@pytest.mark.parametrize("line", SET_APART)
def test_a_short_example_is_found_where_it_stands_alone(line: str) -> None:
    (wanted,) = excerpts_of(SHORT)
    assert wanted == "where s my new card"
    assert (wanted, 3) in [*placed_excerpts(f"# Classify\n\n{line}\nanswer with one word\n")]


@pytest.mark.parametrize(
    "line",
    [
        "Tell people where's my new card when they ask for it",
        "Where's my new red card?",
        "Where's my new",
        "my new card",
        "Tell people where's my new card",
        "A rule for where's my new card: be short",
    ],
)
def test_a_short_example_inside_other_words_is_not_found(line: str) -> None:
    (wanted,) = excerpts_of(SHORT)
    assert wanted not in [excerpt for excerpt, _ in placed_excerpts(line)]


@pytest.mark.parametrize("text", ["", "card", "My card", "?! ..."])
def test_fewer_than_three_words_are_never_an_excerpt(text: str) -> None:
    assert [*excerpts_of(text)] == []
    assert [*placed_excerpts(f"{text}\n")] == []


def test_an_example_that_has_marks_itself_is_found_whole() -> None:
    for text in ("Hi, my card: is it lost?", "No. It is [late], say I", 'A "new" card, please', "Hello.\nNo card yet."):
        (wanted,) = excerpts_of(text)
        for around in ("x\n{}\n", "User: {} Assistant: x", '["{}", "{}"]', "1. {}", "{} => x"):
            assert wanted in [excerpt for excerpt, _ in placed_excerpts(around.format(text, text))], around


@pytest.mark.parametrize("language", ["ja", "zh", "th", "bn", "ru"])
def test_an_mgsm_question_behind_a_label_is_found_in_any_script(language: str) -> None:
    """Short ones too: a Japanese sentence is one word here, and a question has few."""
    data = data_path(f"mgsm/mgsm_{language}.tsv").read_bytes()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    for line in text.decode().splitlines():
        question = line.split("\t")[0]
        found = {excerpt for excerpt, _ in placed_excerpts(f"規則\n問題：{question}\n答え：7")}
        wanted = {*excerpts_of(question)}
        assert wanted <= found
        assert wanted or len(words_of(question)) < 3


def test_a_prompt_in_utf_16_is_read_as_text() -> None:
    for encoding in ("utf-16", "utf-8-sig", "utf-8"):
        assert parse_prompt(f"{SHORT}\n".encode(encoding), "a.md").texts == (f"{SHORT}\n",)


@given(st.text('ab ,.:"', max_size=40))
def test_a_text_on_a_line_of_its_own_has_every_excerpt_of_it(text: str) -> None:
    """Whatever it is made of; `windows` of the split check are all in there too."""
    found = {excerpt for excerpt, _ in placed_excerpts(f"x\n{text}\ny")}
    assert {*excerpts_of(text)} <= found


@pytest.mark.req("C15")
def test_a_short_banking77_sentence_pasted_whole_is_found_at_commit(team: Team) -> None:
    text = gzip.decompress(data_path("banking77/test.csv").read_bytes()).decode()
    texts = [row["text"] for row in csv.DictReader(text.splitlines(keepends=True))]
    sentence = next(text for text in texts if len(words_of(text)) == 5)
    team.add("prompts/few-shot.md", f"# Triage\n\nUser: {sentence}\nLabel: card\n")
    said = team.save("Add a short example")
    assert "prompts/few-shot.md:3: an excerpt of the held-out example banking77:test/" in said
    assert sentence.lower() not in said.lower()


@given(st.sets(st.text(max_size=5)), st.sets(st.text(max_size=5)))
def test_the_index_holds_what_was_put_in(inside: set[str], asked: set[str]) -> None:
    index = ExcerptIndex.of(inside)
    assert {window for window in inside | asked if window in index} == inside


def test_a_damaged_index_is_made_again(tmp_path: Path) -> None:
    keep_index(tmp_path, "sha256:ab", ExcerptIndex.of(["x", "y"]))
    (file,) = (path for path in tmp_path.rglob("ab"))
    assert kept_index(tmp_path, "sha256:ab") == ExcerptIndex.of(["x", "y"])
    for damaged in (file.read_bytes()[:-1], b"", file.read_bytes()[8:]):
        file.write_bytes(damaged)
        assert kept_index(tmp_path, "sha256:ab") is None
