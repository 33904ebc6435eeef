"""The workloads, by number."""
