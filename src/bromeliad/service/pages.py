"""Serves the files of the page, built into ``bromeliad/web/static``."""

from http import HTTPStatus
from importlib import resources
from pathlib import Path

from fastapi import FastAPI
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from bromeliad.errors import InputError
from bromeliad.service.problems import Refusal


class _OutsideApi(Convertor[str]):
    """A path outside the API, so that a wrong method inside it remains a 405."""

    regex = r"(?!api(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("page", _OutsideApi())


def page_folder() -> Path | None:
    """Return the folder of the built page; None if it was not built."""
    folder = Path(str(resources.files("bromeliad"))) / "web" / "static"
    return folder if (folder / "index.html").is_file() else None


def add_page(app: FastAPI) -> None:
    """Serve the files of the page at all addresses outside the API."""
    folder = page_folder()
    files = None if folder is None else StaticFiles(directory=folder, html=True)

    async def page(request: Request) -> Response:
        if files is None:
            raise Refusal(
                HTTPStatus.NOT_FOUND, InputError("the page is not built: run `make page`, then restart serve")
            )
        response = await files.get_response(files.get_path(request.scope), request.scope)
        response.headers["cache-control"] = "no-cache"
        return response

    app.router.routes.append(Route("/{path:page}", page, methods=["GET"], include_in_schema=False))
