"""everygrad."""
