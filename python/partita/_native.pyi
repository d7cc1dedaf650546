from collections.abc import Callable

from partita.meshes import Placed, Said

class PartitionedProgram:
    @property
    def text(self) -> str: ...
    @property
    def arguments(self) -> list[list[Placed]]: ...
    @property
    def results(self) -> list[list[Placed]]: ...
    def annotated(self) -> str: ...
    def report_json(self) -> str: ...
    def report_words(self) -> str: ...
    def explain(self, value: str) -> tuple[str, str]: ...
    def verify(self, seed: int = 0, memory_limit: int | None = None) -> str: ...

def partition(
    text: str,
    file: str,
    mesh: list[tuple[str, int]],
    arguments: list[tuple[int, str, list[Said]]],
    results: list[tuple[int, str, list[Said]]],
    plan: str | None = None,
    device: str | None = None,
    memory: int | None = None,
    zero: bool = False,
) -> PartitionedProgram: ...

class FoundPlans:
    @property
    def json(self) -> str: ...
    @property
    def plans(self) -> list[str]: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def promising(self) -> list[int]: ...

def find(
    text: str,
    file: str,
    mesh: list[tuple[str, int]],
    arguments: list[tuple[int, str, list[Said]]],
    results: list[tuple[int, str, list[Said]]],
    *,
    device: str | None,
    memory: int | None,
    tactics: list[str],
    time_limit: float,
    seed: int,
    progress: Callable[[int, int, float | None], None] | None,
) -> FoundPlans: ...
