"""The PyTorch backend of everygrad."""

from everygrad_torch.backend import TorchBackend

__all__ = ["TorchBackend"]
