from tests.cli.conftest import craze

__all__ = ["craze"]
