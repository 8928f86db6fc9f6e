"""The bounds of a catalog of models."""

from __future__ import annotations

import pytest

from craze.codec import CatalogModel, fit_catalog


def model(name: str, **more: object) -> CatalogModel:
    return CatalogModel(id=name, name=name, **more)  # type: ignore[arg-type]


@pytest.mark.rule("CODEC-60")
def test_the_running_model_takes_the_last_place_when_it_comes_later() -> None:
    models = [model(f"m{number}") for number in range(600)]

    assert fit_catalog(models, "m3") == tuple(models[:512])
    assert fit_catalog(models, "m555") == (*models[:511], models[555])
    assert fit_catalog(models, "gone") == tuple(models[:512])
    assert fit_catalog(models[:5], "gone") == tuple(models[:5])
    assert fit_catalog([], "gone") == ()


@pytest.mark.rule("CODEC-60")
def test_a_long_name_is_cut_on_a_character_and_says_so() -> None:
    (short, ascii_cut, wide_cut) = fit_catalog(
        [
            CatalogModel(id="a", name="é" * 64),
            CatalogModel(id="b", name="x" * 129),
            CatalogModel(id="c", name="é" * 65),
        ],
        "",
    )

    assert short.name == "é" * 64
    assert ascii_cut.name == "x" * 125 + "…"
    assert wide_cut.name == "é" * 62 + "…"


@pytest.mark.rule("CODEC-60")
def test_an_id_is_never_cut() -> None:
    models = [model(""), model("é" * 129), model("é" * 128)]

    assert [fitted.id for fitted in fit_catalog(models, "")] == ["é" * 128]


@pytest.mark.rule("CODEC-60")
@pytest.mark.parametrize(
    "keys",
    [
        {"efforts": tuple("abcdefghi")},
        {"efforts": ("",)},
        {"efforts": ("low", "é" * 17)},
        {"efforts": ("low",), "default_effort": "x" * 33},
        {"efforts": ("low",), "switch_effort": "x" * 33},
    ],
)
def test_a_model_with_an_effort_beyond_the_bounds_has_none(keys: dict[str, object]) -> None:
    assert fit_catalog([model("m", recent=2, **keys)], "") == (model("m", recent=2),)


@pytest.mark.rule("CODEC-60")
def test_efforts_within_the_bounds_stay() -> None:
    kept = model("m", efforts=tuple("abcdefgh"), default_effort="é" * 16)

    assert fit_catalog([kept], "") == (kept,)
