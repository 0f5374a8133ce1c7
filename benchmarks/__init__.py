"""The benchmark suite: our search path beside its peers, on one machine, in one run.

``python -m benchmarks`` starts a loopback server in a process of its own, each client in another,
and takes turns between them. Only ratios within one run carry over to another machine.
"""
