"""The content of the files of a call: objects, findings of stack files, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from components.model.stack_file.report import visible
from components.model.stack_file.yaml_nodes import YamlTextError
from components.model.stack_file.yaml_remedies import remedy_of
from components.model.stack_file.yaml_text import YamlText
from policies.lint import left_out, placeholders
from policies.lint.documents import Defect, Document, documents
from policies.lint.files import File, absolute
from policies.lint.findings import LONGEST, READABLE, Shown, breach, place_in, tamed
from policies.lint.recognising import Recognised, Source, Written, is_empty, is_stack, may_be_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from policies.lint.settings import Options
    from policies.objects.world import Object


class Reading:
    """Everything that was read so far."""

    def __init__(self, options: Options, layout: left_out.Layout) -> None:
        self.recognised = Recognised()
        self.shown: list[Shown] = []
        self.stacks = 0
        self.files = 0
        """The number of files that were read."""
        self.left_out = left_out.LeftOut()
        self.layout = layout
        self.objects = dict[str, list["Object"]]()
        """The objects of each file."""
        self._releases = dict[str, set[str]]()
        self.empty: list[str] = []
        """Files without an object."""
        self.unread: list[str] = []
        self.templates: list[bytes] = []
        """The texts of templates that make objects; they are left out."""
        self._options = options
        self._written = dict[str, Recognised]()
        """The objects of the files that built kustomizations take in, by path."""

    def take(self, file: File) -> None:
        """Read one file."""
        if file.problem:
            self.unread.append(f"{visible(file.name)} ({file.problem})")
            return
        if file.left_out == left_out.RENDERED:
            self._written[absolute(file.name)] = written = Recognised()
            for each in _filled([each for each in documents(file) if isinstance(each, Document)], file):
                written.take(each)
        kind = file.left_out or self.layout.kind_of(file) or left_out.kind_of_template(file)
        if not kind and self._is_found(file) and left_out.is_silent(file):
            kind = left_out.kind_of_silent(file)
        if not kind:
            kind = self._read(_with_values(file, self._options.values))
        if kind:
            self._leave_out(file, kind)
        else:
            self.files += 1
        for each in self.objects.get(file.name, ()) if file.made_of else ():
            self._find_written(each, file.made_of)

    def _leave_out(self, file: File, kind: str) -> None:
        self.left_out.add(kind, visible(file.name)[:LONGEST])
        if left_out.makes_objects(kind, file):
            self.templates.append(file.content)

    def _is_found(self, file: File) -> bool:
        """Whether nobody chose the file for what is in it: a walk found it, or a program lists files (`--apart`)."""
        return file.is_walked or self._options.is_together is False

    def _read(self, file: File) -> str:
        """Read the documents of a file; if it is left out, why."""
        found = list(documents(file))
        whole = [each for each in found if isinstance(each, Document)]
        if is_stack(file, whole):
            self._take_stack(file)
            return ""
        kind = _kind_by_content(file, whole, has_defect=len(whole) < len(found), is_found=self._is_found(file))
        if kind:
            return kind
        before, others = len(self.recognised.objects), len(self.recognised.other)
        has_nothing = len(whole) == len(found)
        for each in _filled(whole, file):
            has_nothing &= not self.recognised.take(each)
        for each in found:
            if isinstance(each, Defect):
                self._take_defect(each)
        self.objects[file.name] = self.recognised.objects[before:]
        if any(not each.kind.type_ for each in self.objects[file.name]):
            self.recognised.refuse(others)
        if has_nothing:
            self.empty.append(visible(file.name)[:LONGEST])
        return ""

    def _find_written(self, built: Object, paths: Iterable[str]) -> None:
        """Note the object that a kustomization made another one of; the other may have a longer name."""
        known = [self._written[path] for path in paths if path in self._written]
        alike = [(each, of) for of in known for each in of.objects if _may_be_made_of(built, each)]
        if alike:
            each, of = max(alike, key=lambda pair: (len(pair[0].name), pair[0].namespace == built.namespace))
            written = Written(source=of.sources[each.place.origin], value=each.value, built=built.value)
            sources = self.recognised.sources
            sources[built.place.origin] = structs.replace(sources[built.place.origin], written=written)

    def _take_defect(self, defect: Defect) -> None:
        self.recognised.sources[defect.origin] = Source(text=defect.text)
        remedy = remedy_of(defect.problem, defect.text.line(defect.text.fault))
        self.recognised.findings.append(breach(READABLE, place_in(defect.origin), f"{defect.problem}.", remedy))

    def _take_stack(self, file: File) -> None:
        # What reads a whole platform takes longer to load than a thousand manifests to judge.
        from components.model.stack_file.reading import read  # noqa: PLC0415
        from policies.lint.stacks import given  # noqa: PLC0415

        try:
            reading = read(given(file, self._options.project))
        except YamlTextError as error:
            self._take_defect(Defect(file.name, YamlText(file.name, (), None, error.span), error.problem))
            return
        self.stacks += 1
        controllers = None if reading.declared is None else reading.declared.controllers
        for release in () if controllers is None else (controllers.jobset, controllers.kueue):
            if release is not None:
                self._releases.setdefault(release.name, set()).add(release.version)
        for finding, sighting in (*reading.findings, *reading.advice):
            # A path stands for a file that is not at hand; here it is.
            named = sighting if sighting.span is not None else structs.replace(sighting, name=file.name)
            self.shown.append(Shown(tamed(finding), named, ""))

    def releases(self) -> dict[str, str]:
        """The releases of controllers that the stack files install, where they agree; else those that are meant."""
        agreed = {name: next(iter(found)) for name, found in self._releases.items() if len(found) == 1}
        return {**self._options.releases, **agreed}


def _may_be_made_of(built: Object, each: Object) -> bool:
    """Whether kinds and names agree; a name may get a prefix and a suffix, and without a name it stays without."""
    return each.kind is built.kind and bool(each.name) == bool(built.name) and each.name in built.name


def _with_values(file: File, values: Mapping[str, str]) -> File:
    """The file with the values that the call states for its placeholders; one that is not UTF-8 stays as it is."""
    try:
        text = file.content.decode() if values else ""
    except UnicodeDecodeError:
        return file
    return structs.replace(file, content=placeholders.stated(text, values).encode()) if values else file


def _filled(whole: list[Document], file: File) -> list[Document]:
    """The documents with unknown values for placeholders."""
    if not whole or not placeholders.may_have_some(file.content.decode(errors="replace")):
        return whole
    return [structs.replace(each, value=placeholders.filled(each.value)) for each in whole]


def _kind_by_content(file: File, whole: list[Document], *, has_defect: bool, is_found: bool) -> str:
    """Why a file is left out, by what is in it; empty for one that is checked."""
    if has_defect:
        if left_out.is_template(file.content.decode(errors="replace")):
            return left_out.TEMPLATE
        return left_out.OTHER if is_found and b"apiVersion" not in file.content.replace(b"\0", b"") else ""
    kind = left_out.kind_of_values([each.value for each in whole], file.content)
    has_content = not all(is_empty(each.value) for each in whole)
    if kind or not has_content or any(may_be_objects(each) for each in whole):
        return kind
    return left_out.kind_of_silent(file)
