"""A JSON search API that settings describe: no code, one block of settings, a ``Service``."""

from .kinds import FieldProblem
from .reading import read_json_search
from .search import JsonSearch
from .service import json_search_service

__all__ = ["FieldProblem", "JsonSearch", "json_search_service", "read_json_search"]
