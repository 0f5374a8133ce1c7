"""StepFun: Step 3.7 has levels of effort, its older models have none."""

from ..provider import ModelRule, Provider

STEPFUN = Provider(
    name="stepfun",
    aliases=("step", "stepfun-coding-plan"),
    title="StepFun",
    site="https://platform.stepfun.ai",
    env=("STEPFUN_API_KEY",),
    base_url="https://api.stepfun.ai/step_plan/v1",
    base_url_env="STEPFUN_BASE_URL",
    efforts=(),
    models=(ModelRule(contains="step-3.7", efforts=("low", "medium", "high")),),
    auxiliary_model="step-3.7-flash",
)
