"""Functions on tensors, under the names, argument names and defaults of torch and torch.nn.functional."""
