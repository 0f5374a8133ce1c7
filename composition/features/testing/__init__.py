"""The test kit: fakes, a faulty server, strategies and a contract suite."""

from ...feature_table import Feature

FEATURE = Feature(
    name="testing",
    what="fakes, strategies and a faulty server, for tests of your own",
    extra="testing",
    packages=("hypothesis", "pytest"),
)
