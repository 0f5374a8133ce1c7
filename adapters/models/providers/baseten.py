"""Baseten."""

from ..provider import Provider

BASETEN = Provider(
    name="baseten",
    title="Baseten",
    site="https://docs.baseten.co",
    env=("BASETEN_API_KEY",),
    base_url="https://inference.baseten.co/v1",
    base_url_env="BASETEN_BASE_URL",
)
