"""Alibaba Cloud's Model Studio (DashScope), international and in China, and its plans.

The coding plan's gateway hangs on a ``reasoning`` object; a flat effort works.
"""

from msgspec.structs import replace

from ..declaration.provider import Login, Provider

ALIBABA = Provider(
    name="alibaba",
    aliases=("dashscope", "aliyun", "alibaba-cloud", "qwen-dashscope"),
    title="Alibaba Cloud Model Studio",
    site="https://www.alibabacloud.com/help/model-studio",
    login=Login(
        env=("DASHSCOPE_API_KEY",),
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        base_url_env="DASHSCOPE_BASE_URL",
    ),
)

ALIBABA_CN = replace(
    ALIBABA,
    name="alibaba-cn",
    aliases=("dashscope-cn", "aliyun-cn"),
    title="Alibaba Cloud Model Studio (China)",
    login=replace(
        ALIBABA.login,
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        base_url_env="DASHSCOPE_CN_BASE_URL",
    ),
)

ALIBABA_TOKEN_PLAN = replace(
    ALIBABA,
    name="alibaba-token-plan",
    aliases=(),
    title="Alibaba token plan",
    login=replace(
        ALIBABA.login,
        env=("ALIBABA_TOKEN_PLAN_API_KEY",),
        base_url="https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
        base_url_env="ALIBABA_TOKEN_PLAN_BASE_URL",
    ),
)

ALIBABA_TOKEN_PLAN_CN = replace(
    ALIBABA_TOKEN_PLAN,
    name="alibaba-token-plan-cn",
    title="Alibaba token plan (China)",
    login=replace(
        ALIBABA_TOKEN_PLAN.login,
        base_url="https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1",
        base_url_env="ALIBABA_TOKEN_PLAN_CN_BASE_URL",
    ),
)

ALIBABA_CODING_PLAN = replace(
    ALIBABA,
    name="alibaba-coding-plan",
    aliases=("alibaba-coding", "dashscope-coding"),
    title="Alibaba coding plan",
    login=replace(
        ALIBABA.login,
        env=("ALIBABA_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY"),
        base_url="https://coding-intl.dashscope.aliyuncs.com/v1",
        base_url_env="ALIBABA_CODING_PLAN_BASE_URL",
    ),
    fields=replace(ALIBABA.fields, drop=frozenset({"reasoning"})),
)
