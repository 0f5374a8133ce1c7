"""The declaration of the testing feature."""

from ..features import Feature

FEATURE = Feature(
    name="testing",
    what="fakes, strategies and a faulty server, for tests of your own",
    extra="testing",
    packages=("hypothesis", "pytest"),
)
