"""The bounds of a catalog of models, held where the catalog is built."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from craze.codec.state import CatalogModel
from craze.codec.text import repaired

_MODELS = 512
_ID_BYTES = 256
_NAME_BYTES = 128
_EFFORTS = 8
_EFFORT_BYTES = 32
_ELLIPSIS = "…"


def fit_catalog(models: Iterable[CatalogModel], running: str) -> tuple[CatalogModel, ...]:
    """The models that may be offered, in picker order, the running one among them.

    Names are shortened and efforts dropped where they pass their bounds; a model whose id does is left out.
    """
    offered = [_fit(model) for model in models if 0 < _size(model.id) <= _ID_BYTES]
    kept, beyond = offered[:_MODELS], offered[_MODELS:]
    if all(model.id != running for model in kept):
        late = [model for model in beyond if model.id == running][:1]
        kept[len(kept) - len(late) :] = late
    return tuple(kept)


def _fit(model: CatalogModel) -> CatalogModel:
    if _size(model.name) > _NAME_BYTES:
        cut = _bytes(model.name)[: _NAME_BYTES - _size(_ELLIPSIS)]
        model = replace(model, name=cut.decode("utf-8", "ignore") + _ELLIPSIS)
    named = [effort for effort in (model.default_effort, model.switch_effort) if effort]
    if len(model.efforts) > _EFFORTS or not all(
        0 < _size(effort) <= _EFFORT_BYTES for effort in (*model.efforts, *named)
    ):
        model = replace(model, efforts=(), default_effort="", switch_effort="")
    return model


def _size(text: str) -> int:
    return len(_bytes(text))


def _bytes(text: str) -> bytes:
    return repaired(text).encode()
