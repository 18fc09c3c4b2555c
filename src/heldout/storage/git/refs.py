"""Names that point at commits: tags, branches of remotes, and what a push is about to change."""

from __future__ import annotations

from dataclasses import dataclass, field

TAG_FORMAT = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(tag)"
REF_FORMAT = "--format=%(refname)%00%(objectname)%00%(symref)"


@dataclass(frozen=True, slots=True)
class Tag:
    """`name` without refs/tags/; `oid` is the tag object's id when annotated, else the commit's.

    `says` is the name inside the tag object, the one that a signature covers; None where there is none to read.
    """

    name: str
    commit: str
    annotated: bool
    oid: str
    says: str | None = field(default=None, compare=False)

    @property
    def misnamed(self) -> bool:
        """The object was made as another tag: `git tag NEW OLD` does that, and so does who copies a signed one."""
        return self.says is not None and self.says != self.name


@dataclass(frozen=True, slots=True)
class Ref:
    """`name` is the full one: refs/remotes/origin/main."""

    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """One line that Git gives to pre-push. An id of only zeros stands for no object (created, or deleted)."""

    local_ref: str
    local_oid: str
    remote_ref: str
    remote_oid: str

    @property
    def deletes(self) -> bool:
        return is_zero(self.local_oid)

    @property
    def creates(self) -> bool:
        return is_zero(self.remote_oid)

    @property
    def is_version_tag(self) -> bool:
        return self.remote_ref.startswith("refs/tags/") and "@v" in self.remote_ref


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """What `git fetch` brings from a remote: `tags` is tagOpt (--tags, --no-tags, None), `fetch` the refspecs."""

    tags: str | None
    fetch: tuple[str, ...]


def is_zero(oid: str) -> bool:
    return not oid.strip("0")


def parse_push(text: str) -> list[RefUpdate]:
    """pre-push's standard input. The local side may hold spaces (`HEAD^{/a message}`): fields count from the end."""
    updates = []
    for line in text.split("\n"):
        fields = line.rsplit(" ", 3)
        if len(fields) == 4:
            updates.append(RefUpdate(*fields))
    return updates


def parse_tags(output: bytes) -> tuple[list[Tag], list[tuple[str, str, str]]]:
    """Tags of commits, and (name, oid, name inside) of tags of tags, which need one more question to Git."""
    tags, nested = [], []
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        if not line:
            continue
        ref, kind, oid, target_kind, target, says = line.split("\0")
        name = ref.removeprefix("refs/tags/")
        if kind == "commit":
            tags.append(Tag(name, oid, annotated=False, oid=oid))
        elif target_kind == "commit":
            tags.append(Tag(name, target, annotated=True, oid=oid, says=says))
        elif target_kind == "tag":
            nested.append((name, oid, says))
    return tags, nested


def name_inside(tag_object: bytes) -> str | None:
    """The `tag` header of a tag object."""
    for line in tag_object.partition(b"\n\n")[0].split(b"\n"):
        if line.startswith(b"tag "):
            return line[4:].decode("utf-8", "surrogateescape")
    return None


def signature_kind(tag_object: bytes) -> str | None:
    """Git signs a tag by text at the end of its message."""
    for kind, start in (("ssh", b"SSH SIGNATURE"), ("openpgp", b"PGP "), ("x509", b"SIGNED MESSAGE")):
        if b"\n-----BEGIN " + start in tag_object:
            return kind
    return None


def parse_refs(output: bytes) -> list[Ref]:
    """Symbolic refs (origin/HEAD) are left out: they repeat another one."""
    rows = [line.split("\0") for line in output.decode("utf-8", "surrogateescape").split("\n") if line]
    return [Ref(name, oid) for name, oid, symref in rows if not symref]


def parse_remote_tags(output: bytes) -> list[Tag]:
    """`ls-remote --tags`: an annotated tag has a second line, `NAME^{}`, for what it points at."""
    first: dict[str, str] = {}
    peeled: dict[str, str] = {}
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        oid, _, ref = line.partition("\t")
        name = ref.removeprefix("refs/tags/")
        if name.endswith("^{}"):
            peeled[name[:-3]] = oid
        elif name:
            first[name] = oid
    return [Tag(name, peeled.get(name, oid), name in peeled, oid) for name, oid in first.items()]


def parse_remote_settings(output: bytes) -> dict[str, RemoteSettings]:
    """`config -z --get-regexp`: key, a line feed, the value. A remote's name may hold dots and capitals."""
    found: dict[str, RemoteSettings] = {}
    for entry in output.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, _, value = entry.partition("\n")
        name, _, setting = key.removeprefix("remote.").rpartition(".")
        if name:
            known = found.get(name, RemoteSettings(None, ()))
            tags = value if setting == "tagopt" else known.tags
            found[name] = RemoteSettings(tags, (*known.fetch, value) if setting == "fetch" else known.fetch)
    return found
