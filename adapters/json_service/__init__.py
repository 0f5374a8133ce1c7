"""A ``Service`` for a JSON search API that one block of settings describes."""

from .block import read_json_search
from .encoding import json_search_service
from .readers import FieldProblem, JsonSearch

__all__ = ["FieldProblem", "JsonSearch", "json_search_service", "read_json_search"]
