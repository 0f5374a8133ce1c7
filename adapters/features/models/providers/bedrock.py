"""Amazon Bedrock: models of many vendors over Converse, in your region.

An API key has priority over signing keys. Its own setting is ``guardrail``. OpenAI's models have
another endpoint with the Responses API: ``bedrock-mantle``.
"""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ..aws import PLACE_ENV, SIGNING_ENV, aws_account, aws_auth
from ..declaration.provider import Changes, ExtraBody, FieldRules, Login, ModelRule, Provider
from .openai import OPENAI

_GUARDRAIL_FIELDS = {
    "identifier": "guardrailIdentifier", "version": "guardrailVersion", "trace": "trace",
}  # fmt: skip


def bedrock_guardrail_option(value: object) -> Result[ExtraBody, str]:
    """Return the field for a guardrail."""
    fields = {str(name): value[name] for name in value} if isinstance(value, Mapping) else {}
    is_complete = fields.get("identifier") and fields.get("version")
    if not is_complete or not set(fields) <= set(_GUARDRAIL_FIELDS):
        return Failure("it must hold identifier: and version:, and may hold trace: enabled")
    config = {_GUARDRAIL_FIELDS[name]: str(part) for name, part in fields.items()}
    return Success(lambda _request: {"guardrailConfig": config})


BEDROCK = Provider(
    name="bedrock",
    aliases=("aws", "aws-bedrock", "amazon-bedrock", "amazon"),
    title="Amazon Bedrock",
    site="https://docs.aws.amazon.com/bedrock",
    api_mode="bedrock_converse",
    login=Login(
        env=("AWS_BEARER_TOKEN_BEDROCK",),
        base_url="https://bedrock-runtime.{region}.amazonaws.com",
        base_url_env="BEDROCK_BASE_URL",
        signing_env=SIGNING_ENV,
        place_env=PLACE_ENV,
        read=aws_account,
        prove=aws_auth,
    ),
    fields=FieldRules(models=(ModelRule(contains="xai.grok", temperature="omit"),)),
    changes=Changes(options={"guardrail": bedrock_guardrail_option}),
)

BEDROCK_MANTLE = replace(
    OPENAI,
    name="bedrock-mantle",
    aliases=("mantle",),
    title="Amazon Bedrock (OpenAI's models)",
    site=BEDROCK.site,
    login=replace(
        OPENAI.login,
        env=BEDROCK.login.env,
        base_url="https://bedrock-mantle.{region}.api.aws/openai/v1",
        base_url_env="BEDROCK_MANTLE_BASE_URL",
        read=aws_account,
        prove=aws_auth,
    ),
    auxiliary_model=None,
    fields=replace(OPENAI.fields, prompt_cache_key=False),
)
